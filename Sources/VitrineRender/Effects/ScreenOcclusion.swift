import VitrineMath
import VitrineScene

/// Shade where near surfaces keep the environment's light from each other, found in the picture's own depth (`RenderOptions.screenOcclusion`).
///
/// For surfaces that neither an occlusion map nor a bake (`Scene.bakeOcclusion`) tells more of: what lies outside the picture or behind
/// something is not seen. Ground-truth ambient occlusion (Jiménez, Wu, Pesce and Jarabo 2016) at half the picture's size, smoothed along
/// surfaces and read back by distance, so that no edge gets a halo. Light of lamps is not held back.
public struct ScreenOcclusion: Equatable, Sendable {
    /// Metres: how far away something may be and still shade. Default nil: a quarter of the radius around the scene.
    public var radius: Float?

    public init(radius: Float? = nil) { self.radius = radius }

    func validate() throws(RenderError) {
        guard let radius else { return }
        guard radius > 0, radius.isFinite else {
            throw .invalidOption(name: "screenOcclusion.radius", reason: "must be more than 0 metres")
        }
    }
}

extension NodeStore {
    /// Around everything that is seen, metres, as it was updated last.
    var radius: Float {
        var box = BoundingBox.empty
        for slot in order where worldOpacities[Int(slot)] > 0 { box.formUnion(worldBounds[Int(slot)]) }
        return box.isEmpty ? 0 : box.radius
    }
}
