import Core
import Protocols

/// What a client says of itself changes what is known of it.
extension Scene.ClientState {
  /// How many wants are remembered.
  private static let wantCapacity = 256

  mutating func take(_ intent: Intent) {
    speaks = true
    switch intent {
    case .started, .restarted: isStopped = false
    case .stopped: isStopped = true
    case .want(let path, let arguments):
      let key = SubscriptionKey(path: path, arguments: arguments).hash
      if !wants.contains(key), wants.count < Self.wantCapacity { wants.append(key) }
    case .unwant(let path, let arguments):
      let key = SubscriptionKey(path: path, arguments: arguments).hash
      wants.removeAll { $0 == key }
    default: break
    }
  }
}
