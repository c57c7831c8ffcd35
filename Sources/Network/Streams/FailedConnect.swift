/// A connect that failed at once, told through the loop.
///
/// @unchecked: confined to its loop.
final class FailedConnect: LoopTimer, @unchecked Sendable {
  private let error: NetworkError
  private var completion: ((Result<ByteStream, NetworkError>) -> Void)?

  init(_ error: NetworkError, _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void) {
    self.error = error
    self.completion = completion
  }

  var handle: ConnectHandle { CancellingHandle { self.fail(.cancelled) } }

  override func fire() { fail(error) }

  private func fail(_ error: NetworkError) {
    guard let completion else { return }
    self.completion = nil
    completion(.failure(error))
  }
}

/// A handle that calls a closure.
///
/// @unchecked: confined to its transport's loop.
final class CancellingHandle: ConnectHandle, @unchecked Sendable {
  private let onCancel: () -> Void
  init(_ onCancel: @escaping () -> Void) { self.onCancel = onCancel }
  override func cancel() { onCancel() }
}
