import Foundation
import Testing
import VitrineFiles

@testable import VitrineReconstruct

@Suite struct PhotoFailuresTests {
    @Test func failuresAreListedInOrder() {
        let failures = PhotoFailures()
        #expect(failures.recording(4) { 7 } == 7)
        #expect(failures.recording(3) { throw ReconstructionError.noSurface("gone") } as Int? == nil)
        #expect(failures.recording(1) { throw ReconstructionError.noSurface("changed") } as Int? == nil)
        #expect(failures.all.map(\.index) == [1, 3])
        #expect(failures.all[0].reason.contains("changed") && failures.all[1].reason.contains("gone"))
        #expect(failures.recording(5) { throw FileError(path: "a.jpg", reason: "no such file") } as Int? == nil)
        #expect(failures.all[2].reason == "a.jpg: no such file")
    }
}
