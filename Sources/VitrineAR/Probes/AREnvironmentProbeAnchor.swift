import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Unchecked for the same reason as `ARAnchor`.
/// The surroundings of a position as an environment map, for reflections on virtual objects.
///
/// The map is accumulated from the camera's images: directions that were not observed have the colours around them, and everything counts as far away.
public final class AREnvironmentProbeAnchor: ARAnchor, @unchecked Sendable {
    /// The size of the box, centred at the anchor, for which the map is meant, in metres. Default infinite.
    public let extent: Vector3
    /// The map for `Environment(image:)`: equirectangular, linear light, 64 × 32 pixels; nil until enough was observed.
    public let environmentTexture: Image?

    /// Creates a probe to add to a session whose `environmentTexturing` is not `.none`; the session fills its map.
    public init(
        name: String? = nil, transform: Matrix4, identifier: UUID = UUID(), extent: Vector3 = Vector3(repeating: .infinity),
        environmentTexture: Image? = nil
    ) {
        (self.extent, self.environmentTexture) = (extent, environmentTexture)
        super.init(name: name, transform: transform, identifier: identifier)
    }

    override var isSavedInMaps: Bool { false }

    override func with(transform: Matrix4) -> AREnvironmentProbeAnchor { with(texture: environmentTexture, transform: transform) }

    func with(texture: Image?, transform: Matrix4? = nil) -> AREnvironmentProbeAnchor {
        AREnvironmentProbeAnchor(
            name: name, transform: transform ?? self.transform, identifier: identifier, extent: extent, environmentTexture: texture)
    }

    override func isSame(as other: ARAnchor) -> Bool {
        guard let other = other as? AREnvironmentProbeAnchor, super.isSame(as: other) else { return false }
        return extent == other.extent && environmentTexture === other.environmentTexture
    }
}
