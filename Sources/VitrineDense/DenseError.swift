/// The reason why depth cannot be estimated or fused.
package enum DenseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A reference photo without sources.
    case noSources(photo: Int)
    /// A `PhotoView` that is not a pinhole with a finite camera, whose planes differ in size, or whose depth range is not positive.
    case malformedView(photo: Int, String)
    /// A depth map that does not belong to its view.
    case malformedMap(String)
    /// An option is out of its range.
    case option(String)

    package var description: String {
        switch self {
        case .noSources(let photo): "photo \(photo) has no neighbours to be compared with"
        case .malformedView(let photo, let reason): "photo \(photo) cannot be used for depth: \(reason)"
        case .malformedMap(let reason): "a depth map cannot be used: \(reason)"
        case .option(let reason): reason
        }
    }
}
