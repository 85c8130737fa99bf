import CProcessor
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An encoded image: in memory or in a file.
package enum ImageSource: Sendable {
    /// A file in memory, with its name for errors.
    case bytes([UInt8], name: String)
    case file(URL)

    /// Reads and decodes the image.
    package func decode(limits: ImageLimits = ImageLimits()) throws(ImageFileError) -> Image {
        switch self {
        case .bytes(let bytes, let name): try ImageFile.decode(bytes, name: name, limits: limits)
        case .file(let url): try Image(contentsOf: url, limits: limits)
        }
    }
}

extension ImageFile {
    /// Decodes several images concurrently, one per processor.
    ///
    /// Continues after a failure. Cancelling the task skips images that have not started: their result is `.cancelled`.
    ///
    /// - Parameters:
    ///   - limits: The limits of each image.
    ///   - progress: Called with the number of decoded images: 1, 2 … in order.
    /// - Returns: One result for each source, in order.
    package static func decodeAll(
        _ sources: [ImageSource], limits: ImageLimits = ImageLimits(), progress: (Int) -> Void = { _ in }
    ) async -> [Result<Image, ImageFileError>] {
        var results = [Result<Image, ImageFileError>](
            repeating: .failure(ImageFileError(file: "", reason: .cancelled)), count: sources.count)
        await withTaskGroup(of: (Int, Result<Image, ImageFileError>).self) { group in
            var (next, done) = (0, 0)
            func start() {
                guard next < sources.count else { return }
                let (index, source) = (next, sources[next])
                next += 1
                group.addTask { (index, decode(source, limits: limits)) }
            }
            for _ in 0..<vitrine_processor_count() { start() }
            while let (index, result) = await group.next() {
                results[index] = result
                done += 1
                progress(done)
                start()
            }
        }
        return results
    }

    private static func decode(_ source: ImageSource, limits: ImageLimits) -> Result<Image, ImageFileError> {
        if Task.isCancelled { return .failure(ImageFileError(file: source.name, reason: .cancelled)) }
        return Result { () throws(ImageFileError) in try source.decode(limits: limits) }
    }
}

extension ImageSource {
    fileprivate var name: String {
        switch self {
        case .bytes(_, let name): name
        case .file(let url): url.path
        }
    }
}
