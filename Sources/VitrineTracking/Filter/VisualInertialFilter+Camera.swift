import VitrineMath
import VitrineVision

extension VisualInertialFilter {
    /// Of the camera: rotation about the world's axes in radians, then position in metres: 6×6 by rows.
    ///
    /// What isn't known of how the camera sits on the body counts as well, with all that it has to do with the body's pose. R = exp(θ) R̂ of the
    /// body and C = exp(φ) Ĉ of the camera on it make the camera's own turn θ − Rᵂᶜ φ; its place follows that turn at the end of the arm
    /// from body to camera, the body's place, and the shift on the body.
    public var cameraCovariance: [Double] {
        let camera = estimate.rig.cameraFromBody
        let worldFromCamera = estimate.body.worldFromBody.rotation * camera.rotation.transpose
        let arm = (worldFromCamera * camera.translation) * -1
        let lever = Matrix3d.skew(arm) * -1
        let (turned, none) = (worldFromCamera * -1, Matrix3d.zero)
        let slopes = [[.identity, none, turned, none], [lever, .identity, lever * turned, turned]]
        let places = [FilterLayout.orientation, FilterLayout.position, FilterLayout.extrinsics, FilterLayout.extrinsics + 3]
        func part(_ row: Int, _ column: Int) -> Matrix3d {
            var sum = Matrix3d.zero
            for i in 0..<4 {
                for j in 0..<4 { sum = sum + slopes[row][i] * covariance.block(places[i], places[j]) * slopes[column][j].transpose }
            }
            return sum
        }
        let blocks = [[part(0, 0), part(0, 1)], [part(1, 0), part(1, 1)]]
        return (0..<36).map { blocks[$0 / 18][($0 % 6) / 3].column($0 % 3)[($0 / 6) % 3] }
    }
}
