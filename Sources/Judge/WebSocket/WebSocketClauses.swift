/// The clauses for any client over WebSocket, in the catalogue's order.
enum WebSocketClauses {
  static let all: [any Clause.Type] = [
    ConnectsAgain.self, StaysAwayAfterOwnClose.self, NeverTwoSockets.self, PausesGrow.self, NoHotLoop.self,
    PausesAreJittered.self, JitterHoldsAtCap.self, BackoffOutlivesShortOpening.self, RetryAfterIsHonoured.self,
    SilenceIsNoticed.self, FramingIsValid.self, AttemptsAreDispersed.self,
  ]

  /// What is judged of a Phoenix client besides.
  static let phoenix: [any Clause.Type] = [
    JoinsOnce.self, JoinsBeforeItLeaves.self, HeartbeatIsSent.self, UnansweredHeartbeatCloses.self,
    JoinsAgain.self, PausesFollowSchedule.self,
  ]
}
