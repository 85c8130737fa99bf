import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a picture to decode lies.
public enum ImageSource: Sendable {
    /// A whole file in memory (a GLB's buffer, a data URI); the name is for errors.
    case bytes([UInt8], name: String)
    case file(URL)

    /// Reads and decodes it.
    public func decode(limits: ImageLimits = ImageLimits()) throws(ImageFileError) -> Image {
        switch self {
        case .bytes(let bytes, let name): try ImageFile.decode(bytes, name: name, limits: limits)
        case .file(let url): try Image(contentsOf: url, limits: limits)
        }
    }
}

extension ImageFile {
    /// Decodes several pictures, as many at a time as there are processors.
    ///
    /// One picture that fails doesn't stop the others. Cancelling the task skips those that have not begun: their result is a `.cancelled`.
    ///
    /// - Parameters:
    ///   - limits: for each picture.
    ///   - progress: called after each picture with the number done, 1, 2 … in order.
    /// - Returns: one result per source, in the sources' order.
    public static func decodeAll(
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
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { start() }
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
