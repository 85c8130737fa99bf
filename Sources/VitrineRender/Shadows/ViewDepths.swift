import VitrineMath
import VitrineScene

/// The extent of a camera's view at each depth, for cascades.
struct ViewDepths {
    let eye: Vector3
    /// Unit vector ahead.
    let forward: Vector3
    let near: Float
    /// May be infinite.
    let far: Float
    /// Half of the view's diagonal: `constant + slope · depth`.
    private let constant, slope: Float

    init(_ view: View, aspectRatio: Float) {
        eye = view.worldFromCamera.translation
        forward = -normalize(view.worldFromCamera.z.xyz)
        (near, far) = (max(view.camera.near, 1e-4), view.camera.far)
        let aspect = view.camera.aspectRatio ?? aspectRatio
        switch view.camera.projection {
        case .perspective(let fieldOfView):
            let half = tan(fieldOfView.radians / 2)
            (constant, slope) = (0, half * (1 + aspect * aspect).squareRoot())
        case .orthographic(let scale):
            (constant, slope) = (scale * (1 + aspect * aspect).squareRoot(), 0)
        }
    }

    /// The smallest sphere around the view between two depths: centre and radius. It depends on the depths alone, not on where the camera
    /// looks, so that cascades do not flicker when the camera turns.
    func sphere(from a: Float, to b: Float) -> Vector4 {
        let (low, high) = (constant + slope * a, constant + slope * b)
        // The point with equal distance to the corners of both ends, clamped between them.
        let middle = min(max((a + b) / 2 + (high * high - low * low) / (2 * max(b - a, 1e-6)), a), b)
        let radius = max(((b - middle) * (b - middle) + high * high).squareRoot(), ((middle - a) * (middle - a) + low * low).squareRoot())
        return Vector4(eye + forward * middle, radius)
    }
}
