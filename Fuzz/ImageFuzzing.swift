import VitrineFiles
import VitrineScene

@testable import VitrineTestFiles

extension FuzzTarget {
    /// Decodes inputs of one kind under small limits and checks the results.
    ///
    /// - Parameter repair: makes an input pass the checks that a mutation nearly always breaks.
    static func image(_ kind: ImageFile.Kind, repair: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }) -> FuzzTarget {
        let limits = ImageLimits(maximumSide: 4096, maximumBytes: 1 << 24)
        let seeds = { @Sendable in try TinyFiles.all().map(\.bytes).filter { ImageFile.kind(of: $0) == kind } }
        return FuzzTarget(seeds: seeds) { input in
            var bytes = input
            repair(&bytes)
            guard ImageFile.kind(of: bytes) == kind, let image = try? ImageFile.decode(bytes, limits: limits) else { return }
            precondition(image.bytes.count == image.width * image.height * image.format.bytesPerPixel)
            precondition(image.bytes.count <= limits.maximumBytes)
            // Reads every byte, so that the sanitizer sees uninitialized or foreign memory.
            precondition(image.bytes.reduce(0) { $0 &+ Int($1) } >= 0)
        }
    }
}

/// Overwrites an input's first bytes.
func force(_ prefix: [UInt8], on bytes: inout [UInt8]) {
    for (index, byte) in prefix.enumerated() where index < bytes.count { bytes[index] = byte }
}
