import VitrineGPU

/// The reason why a GPU cannot match features or estimate depth.
package enum DenseGPUError: Error, CustomStringConvertible {
    /// There is no adapter, or it creates no device.
    case unavailable(GPUError)
    /// A level of a photo needs a larger buffer than the adapter supports.
    case tooLarge(photoWidth: Int, photoHeight: Int, bytes: Int, limit: Int, adapter: String)
    /// The GPU failed during the work: its device is lost, its memory is full, or its driver has an error.
    case failed(GPUError, adapter: String)

    package var description: String {
        switch self {
        case .unavailable(let error): "\(error)"
        case .tooLarge(let width, let height, let bytes, let limit, let adapter):
            "depth maps of \(width) × \(height) pixels need a buffer of \(bytes >> 20) MiB, and \(adapter) supports \(limit >> 20) MiB"
        case .failed(let error, let adapter): "\(adapter): \(error)"
        }
    }
}
