/// The clauses of the onebase protocol, in the catalogue's order.
enum OnebaseClauses {
  static let all: [any Clause.Type] = [
    AuthComesFirst.self, AuthComesOnce.self, ClientPings.self, ClientReconnects.self, ClientBacksOff.self,
    BackoffIsDispersed.self, ResumesInOrder.self, SubscribesAgain.self, NeverSendsAgain.self, QueuedCallsKeepOrder.self,
    EndedTokenIsForgotten.self, OtherFailureKeepsToken.self, ErrorKeepsSubscription.self, MessagesAreWellFormed.self,
    OutboxOutlivesRestart.self, LostMutationIsReported.self, TransitionIsAppliedAtOnce.self,
    PingIsAnswered.self, IdleConnectionIsClosed.self, AuthIsAnswered.self, SubscriptionIsAnswered.self,
    UnsubscribedStaysQuiet.self, CallIsAnsweredOnce.self, ResultComesWithUpdates.self, FailedSubscriptionRecovers.self,
    MutationRunsOnce.self, SubscriptionsConverge.self, RateLimitNamesItsEnd.self,
  ]
}
