import Testing

@testable import VitrineReconstruct

@Suite struct OutputLogTests {
    @Test func everyReaderReceivesAllOutputsAndTheEnd() async throws {
        let log = OutputLog()
        log.append(.inputComplete)
        let outputs = PhotogrammetrySession.Outputs(log: log)
        async let early = count(outputs)
        async let other = count(outputs)
        for id in 0..<100 { log.append(.skippedSample(id: id)) }
        log.append(.processingComplete)
        log.finish()
        let late = try await count(outputs)
        #expect(try await [early, other, late] == [102, 102, 102])
    }

    @Test func outputsAfterTheEndAreDropped() async throws {
        let log = OutputLog()
        log.finish()
        log.append(.inputComplete)
        #expect(try await count(PhotogrammetrySession.Outputs(log: log)) == 0)
    }

    @Test func cancelledReaderStopsWaiting() async throws {
        let log = OutputLog()
        let reader = Task { try await count(PhotogrammetrySession.Outputs(log: log)) }
        try await Task.sleep(for: .milliseconds(20))
        reader.cancel()
        #expect(try await reader.value == 0)
    }

    private func count(_ outputs: PhotogrammetrySession.Outputs) async throws -> Int {
        var count = 0
        for try await _ in outputs { count += 1 }
        return count
    }
}
