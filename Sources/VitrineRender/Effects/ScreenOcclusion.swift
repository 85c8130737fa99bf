import VitrineMath
import VitrineScene

/// Screen-space ambient occlusion: how near surfaces block the environment's light, computed from the image's own depth (`RenderOptions.screenOcclusion`).
///
/// For surfaces without an occlusion map or baked occlusion (`Scene.bakeOcclusion`), which also include occluders outside the image and behind
/// other surfaces. Ground-truth ambient occlusion (Jiménez, Wu, Pesce and Jarabo 2016) at half the image's size, smoothed along
/// surfaces and upsampled by distance, so that edges get no halo. Does not affect direct light.
public struct ScreenOcclusion: Equatable, Sendable {
    /// The maximum distance of an occluder in metres. Default nil: a quarter of the scene's bounding radius.
    public var radius: Float?

    /// Creates an occlusion; the default radius follows the scene.
    public init(radius: Float? = nil) { self.radius = radius }

    func validate() throws(RenderError) {
        guard let radius else { return }
        guard radius > 0, radius.isFinite else {
            throw .invalidOption(name: "screenOcclusion.radius", reason: "must be more than 0 metres")
        }
    }
}

extension NodeStore {
    /// Bounding radius of all visible nodes in metres, as of the last update.
    var radius: Float {
        var box = BoundingBox.empty
        for slot in order where worldOpacities[Int(slot)] > 0 { box.formUnion(worldBounds[Int(slot)]) }
        return box.isEmpty ? 0 : box.radius
    }
}
