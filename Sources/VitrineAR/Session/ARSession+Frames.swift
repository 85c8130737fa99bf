extension ARSession {
    /// The next frame, for a session with pace `.stepped`: reads the source up to its next usable picture, and returns once the delegate was told.
    ///
    /// - Returns: nil where the session is paused, or the recording is at its end.
    /// - Throws: `ARError` with the reason where the session failed, and `.requestFailed` where it was never run or goes at a pace of its own.
    public func step() async throws(ARError) -> ARFrame? {
        guard pace == .stepped else {
            throw ARError(.requestFailed, "the session goes by itself: make it with pace .stepped to step")
        }
        let (epoch, isRunning, isConfigured) = shared.state.withLock { ($0.epoch, $0.isRunning, $0.configuration != nil) }
        guard isConfigured else { throw ARError(.requestFailed, "the session was never run: call run(_:options:) first") }
        let frame = isRunning ? await engine.frame(epoch: epoch, for: self) : nil
        if frame == nil, let failure = shared.state.withLock({ $0.failure }) { throw failure }
        return frame
    }

    /// The frames of one run as a sequence. It ends when the session pauses or its recording ends, and throws what the session failed of.
    ///
    /// Of a recording no frame is lost: the session waits until each reader has taken the one before. A live camera's reader gets the newest. With
    /// pace `.stepped`, each frame that is asked for makes a step.
    public var frames: Frames { Frames(session: self) }

    public struct Frames: AsyncSequence, Sendable {
        public typealias Element = ARFrame
        public typealias Failure = ARError

        let session: ARSession

        public func makeAsyncIterator() -> Iterator { Iterator(session) }

        public struct Iterator: AsyncIteratorProtocol {
            private enum Kind {
                case stepping(ARSession)
                case listening(FrameReader)
            }

            private let kind: Kind

            init(_ session: ARSession) {
                // A listener doesn't keep its session: one that nobody holds ends.
                kind = session.pace == .stepped ? .stepping(session) : .listening(FrameReader(session.shared.broadcast))
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws(ARError) -> ARFrame? {
                switch kind {
                case .stepping(let session): try await session.step()
                case .listening(let reader): try await reader.next()
                }
            }

            public mutating func next() async throws(ARError) -> ARFrame? { try await next(isolation: nil) }
        }
    }
}

/// One reader of the frames; gone when nobody holds it.
private final class FrameReader: Sendable {
    private let broadcast: FrameBroadcast
    private let key: Int

    init(_ broadcast: FrameBroadcast) {
        self.broadcast = broadcast
        key = broadcast.register()
    }

    deinit { broadcast.unregister(key) }

    func next() async throws(ARError) -> ARFrame? { try await broadcast.next(key) }
}
