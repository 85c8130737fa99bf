import VitrineMath
import VitrineScene

extension View {
    /// The same view with the depth range of an orthographic camera narrowed to the scene's bounds; perspective cameras stay unchanged.
    ///
    /// Orthographic depth is linear, so that reversed depth does not help it: over the 10⁶ m of a camera without a far plane, 32-bit floats
    /// leave steps of 6 cm. Over the scene's own range they are a ten-millionth of its size. The image does not change, because nothing lies
    /// in the parts that are cut off; planes that the camera sets inside the scene stay.
    func fittingDepthRange(to store: NodeStore) -> View {
        guard case .orthographic = camera.projection else { return self }
        let (eye, forward) = (worldFromCamera.translation, -normalize(worldFromCamera.z.xyz))
        let across = Vector3(abs(forward.x), abs(forward.y), abs(forward.z))
        var (nearest, farthest) = (Float.infinity, -Float.infinity)
        for box in store.worldBounds where !box.isEmpty && box.minimum.isFinite && box.maximum.isFinite {
            let (middle, half) = (dot(box.center - eye, forward), dot((box.maximum - box.minimum) / 2, across))
            (nearest, farthest) = (min(nearest, middle - half), max(farthest, middle + half))
        }
        guard nearest <= farthest else { return self }
        // Room for rounding of positions and of matrices.
        let margin = 1e-3 * (farthest - nearest) + 1e-5 * max(abs(nearest), abs(farthest)) + 1e-6
        var fitted = self
        fitted.camera.near = max(camera.near, nearest - margin)
        fitted.camera.far = min(camera.far, farthest + margin)
        return fitted.camera.near < fitted.camera.far ? fitted : self
    }
}
