import Foundation
import Testing
import VitrineImageFiles
import VitrineScene

@testable import VitrineTestFiles

@Suite struct ConcurrentDecodingTests {
    @Test func resultsComeInTheOrderOfTheSources() async throws {
        var sources: [ImageSource] = []
        for index in 0..<40 {
            let image = try TestImage.noise(width: 1 + (index * 17) % 40, height: index + 1, format: .rgba8, opaque: true)
            sources.append(.bytes(try ImageFile.encode(image, as: .png()), name: "\(index)"))
        }
        sources[7] = .bytes([1, 2, 3], name: "seven")
        sources[11] = .file(URL(fileURLWithPath: "/no/such/picture.png"))
        var steps: [Int] = []
        let results = await ImageFile.decodeAll(sources) { steps.append($0) }
        #expect(steps == Array(1...40))
        for (index, result) in results.enumerated() {
            switch index {
            case 7: #expect(throws: ImageFileError(file: "seven", reason: .unrecognized)) { try result.get() }
            case 11: #expect(throws: ImageFileError.self) { try result.get() }
            default:
                let image = try result.get()
                #expect((image.name, image.width, image.height) == ("\(index)", 1 + (index * 17) % 40, index + 1))
            }
        }
    }

    @Test func noSourcesGiveNoResults() async { #expect(await ImageFile.decodeAll([]).isEmpty) }

    @Test func aCancelledTaskSkipsWhatHasNotBegun() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await ImageFile.decodeAll([.bytes(TinyFiles.greyJPEG, name: "grey")])
        }
        task.cancel()
        let results = await task.value
        #expect(throws: ImageFileError(file: "grey", reason: .cancelled)) { try results[0].get() }
    }
}
