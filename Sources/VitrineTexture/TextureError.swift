/// The reason why a mesh cannot be textured.
package enum TextureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The mesh has no triangle with an area.
    case emptyMesh
    /// A triangle's index is out of range.
    case indexOutOfRange(triangle: Int, index: UInt32, vertexCount: Int)
    /// A position is NaN or infinite.
    case notFinite(vertex: Int)
    /// There are no photos, or none could be loaded.
    case noPhotos
    /// An option is out of its range: its name and the reason.
    case invalidOption(name: String, reason: String)
    /// The charts do not fit even at one texel each: more charts than the texture has space for.
    case textureTooSmall(size: Int, charts: Int)
    /// The context was cancelled.
    case cancelled

    package var description: String {
        switch self {
        case .emptyMesh: "the mesh has no triangle with an area"
        case .indexOutOfRange(let triangle, let index, let count):
            "triangle \(triangle) has the vertex index \(index), but there are \(count) vertices"
        case .notFinite(let vertex): "vertex \(vertex) is not finite"
        case .noPhotos: "none of the photos can be read"
        case .invalidOption(let name, let reason): "\(name): \(reason)"
        case .textureTooSmall(let size, let charts): "\(charts) charts do not fit into a texture of \(size) × \(size)"
        case .cancelled: "cancelled"
        }
    }
}
