import Foundation
import Testing

@testable import VitrineReconstruct

@Suite struct PhotoFailuresTests {
    @Test func whatFailsIsRememberedInOrder() {
        let failures = PhotoFailures()
        #expect(failures.noting(4) { 7 } == 7)
        #expect(failures.noting(3) { throw ReconstructionError.noSurface("gone") } as Int? == nil)
        #expect(failures.noting(1) { throw ReconstructionError.noSurface("changed") } as Int? == nil)
        #expect(failures.all.map(\.index) == [1, 3])
        #expect(failures.all[0].reason.contains("changed") && failures.all[1].reason.contains("gone"))
    }
}
