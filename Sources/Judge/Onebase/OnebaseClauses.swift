/// The clauses of the onebase protocol, in the catalogue's order.
enum OnebaseClauses {
  static let all: [any Clause.Type] = [
    AuthComesFirst.self, AuthComesOnce.self, ClientPings.self, ClientReconnects.self, ClientBacksOff.self,
    BackoffIsDispersed.self, ResumesInOrder.self, SubscribesAgain.self, NeverSendsAgain.self, QueuedCallsKeepOrder.self,
    EndedTokenIsForgotten.self, OtherFailureKeepsToken.self, ErrorKeepsSubscription.self, MessagesAreWellFormed.self,
    OutboxOutlivesRestart.self, LostMutationIsReported.self, CacheBelongsToUser.self, TransitionIsAppliedAtOnce.self,
    PingIsAnswered.self, IdleConnectionIsClosed.self, AuthIsAnswered.self, SubscriptionIsAnswered.self,
    ResentSubReplaces.self, UnsubscribedStaysQuiet.self, CallIsAnsweredOnce.self, ResultComesWithUpdates.self,
    IdenticalSubscriptionsAgree.self, MessagesAreTakenInOrder.self, FailedSubscriptionRecovers.self,
    MutationRunsOnce.self, SubscriptionsConverge.self, RateLimitNamesItsEnd.self, BearerAuthenticates.self,
    ErrorTextsSeen.self, SubscriptionRunsUnderIdentity.self,
  ]
}
