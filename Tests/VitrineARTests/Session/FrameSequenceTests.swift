import Testing
import VitrineVision

@testable import VitrineAR

@Suite(.timeLimit(.minutes(10))) struct FrameSequenceTests {
    private static let times = (0..<50).map { Double($0) / 50 }

    @Test func steppedSequencesContainEveryFrame() async throws {
        let session = ARSession(source: ScriptedSource(times: Self.times), pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        var times: [Double] = []
        for try await frame in session.frames { times.append(frame.timestamp) }
        #expect(times == Self.times)
    }

    @Test func noReaderOfARecordingLosesAFrame() async throws {
        let session = ARSession(source: ScriptedSource(times: Self.times), pace: .unpaced)
        // Readers that exist before the run receive all frames, also slow ones.
        let (ready, announce) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for index in 0..<3 {
                group.addTask {
                    var (iterator, times) = (session.frames.makeAsyncIterator(), [Double]())
                    announce.yield(index)
                    while let frame = try await iterator.next() {
                        times.append(frame.timestamp)
                        if index > 0 { try await Task.sleep(for: .microseconds(500 * index)) }
                    }
                    return times
                }
            }
            for await _ in ready.prefix(3) {}
            session.run(ARWorldTrackingConfiguration.walking)
            for try await times in group { #expect(times == Self.times) }
        }
    }

    @Test func releasedReadersBlockNoOther() async throws {
        let session = ARSession(source: ScriptedSource(times: Self.times), pace: .unpaced)
        var iterator = session.frames.makeAsyncIterator()
        session.run(ARWorldTrackingConfiguration.walking)
        let task = Task { for try await frame in session.frames where frame.timestamp >= 0.1 { break } }
        var count = 0
        while try await iterator.next() != nil { count += 1 }
        #expect(count == Self.times.count)
        try await task.value
    }

    @Test func pausingEndsSequences() async throws {
        let session = ARSession(source: ScriptedSource(times: Self.times), pace: .unpaced)
        var iterator = session.frames.makeAsyncIterator()
        session.run(ARWorldTrackingConfiguration.walking)
        _ = try await iterator.next()
        session.pause()
        let newest = session.currentFrame
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest <= 1)
        // A sequence made during the pause ends at once.
        var late = session.frames.makeAsyncIterator()
        #expect(try await late.next() == nil)
        #expect(session.currentFrame == newest)
        session.run(ARWorldTrackingConfiguration.walking)
        // The session resumes, unless the recording has ended.
        #expect(session.isRunning || session.currentFrame != newest)
    }

    @Test func failureIsThrown() async throws {
        let session = ARSession(source: ScriptedSource([.image(0), .fail("gone")]), pace: .unpaced)
        var iterator = session.frames.makeAsyncIterator()
        session.run(ARWorldTrackingConfiguration.walking)
        #expect(try await iterator.next()?.timestamp == 0)
        let error = await #expect(throws: ARError.self) { try await iterator.next() }
        #expect(error == ARError(.sensorFailed, "gone"))
        // Later readers also receive the error.
        var late = session.frames.makeAsyncIterator()
        await #expect(throws: ARError.self) { try await late.next() }
    }

    @Test func cancelledReadersEnd() async throws {
        let session = ARSession(source: LiveSource(), pace: .realTime)
        session.run(ARWorldTrackingConfiguration.walking)
        let task = Task { try await session.frames.first { _ in true } }
        try await Task.sleep(for: .milliseconds(5))
        task.cancel()
        #expect(try await task.value == nil)
    }

    @Test func readersOfACameraGetTheNewest() async throws {
        let source = LiveSource()
        let session = ARSession(source: source, pace: .realTime)
        var iterator = session.frames.makeAsyncIterator()
        session.run(ARWorldTrackingConfiguration.walking)
        for time in 0..<10 { source.send(.image(.scripted(Double(time)))) }
        while session.currentFrame?.timestamp != 9 { try await Task.sleep(for: .milliseconds(1)) }
        // `currentFrame` changes before the frame is sent: the previous one may still be buffered.
        var times: [Double] = []
        while let frame = try await iterator.next() {
            times.append(frame.timestamp)
            if frame.timestamp == 9 { break }
        }
        #expect(times.count <= 2)
    }

    @Test func recordingsArePlayedInRealTime() async throws {
        let session = ARSession(source: ScriptedSource(times: [5, 5.05, 5.1, 5.15]), pace: .realTime)
        var iterator = session.frames.makeAsyncIterator()
        let start = ContinuousClock.now
        session.run(ARWorldTrackingConfiguration.walking)
        var count = 0
        while try await iterator.next() != nil { count += 1 }
        #expect(count == 4)
        #expect(ContinuousClock.now - start >= .milliseconds(149))
    }

    @Test func unreferencedSessionsEnd() async throws {
        let source = ScriptedSource(times: (0..<100_000).map { Double($0) })
        var session: ARSession? = ARSession(source: source, pace: .unpaced)
        weak let watched = session
        session?.run(ARWorldTrackingConfiguration.walking)
        var iterator = session?.frames.makeAsyncIterator()
        session = nil
        while try await iterator?.next() != nil {}
        while watched != nil { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func readersShareSteps() async throws {
        let session = ARSession(source: ScriptedSource(times: Self.times), pace: .stepped)
        session.run(ARWorldTrackingConfiguration.walking)
        let all = try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var times: [Double] = []
                    while let frame = try await session.step() { times.append(frame.timestamp) }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(all.sorted() == Self.times)
    }
}
