import VitrineMath

/// The mapping of a camera image into a view: rotated to the interface orientation, centred, scaled to the smallest size that covers the
/// view (aspect fill).
///
/// Image and view coordinates are normalized: 0…1 to the right and down from the upper left corner.
struct ImageFit: Equatable, Sendable {
    /// Maps an image point to a view point; homogeneous, the last row is (0, 0, 1).
    let viewFromImage: Matrix3
    private let orientation: InterfaceOrientation
    private let imageSize: Vector2

    /// Creates the fit of an image into a view.
    ///
    /// - Parameters:
    ///   - imageSize: The size of the image in pixels, above 0.
    ///   - viewportSize: The size of the view in any unit, above 0.
    init(imageSize: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) {
        let rotatedSize = orientation.isPortrait ? Vector2(imageSize.y, imageSize.x) : imageSize
        let scales = viewportSize / rotatedSize
        let covered = rotatedSize * scales.max() / viewportSize
        let margin = (Vector2(1, 1) - covered) / 2
        let viewFromRotated = Matrix3(Vector3(covered.x, 0, 0), Vector3(0, covered.y, 0), Vector3(margin.x, margin.y, 1))
        viewFromImage = viewFromRotated * orientation.rotatedFromImage
        (self.orientation, self.imageSize) = (orientation, imageSize)
    }

    /// The projection from the view's frame (x right, y up, −z forward) to clip space: depth 0 at `zNear`, 1 at `zFar`.
    ///
    /// - Parameter imageFromCamera: The intrinsics: pixels from x right, y down, z forward.
    func clipFromView(imageFromCamera: Matrix3, zNear: Float, zFar: Float) -> Matrix4 {
        let clipFromNormalized = Matrix3(Vector3(2, 0, 0), Vector3(0, -2, 0), Vector3(-1, 1, 1))
        let normalizedFromPixel = Matrix3(Vector3(1 / imageSize.x, 0, 0), Vector3(0, 1 / imageSize.y, 0), Vector3(0, 0, 1))
        let opticalFromCamera = Matrix3(Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1))
        let flat =
            clipFromNormalized * viewFromImage * normalizedFromPixel * imageFromCamera * opticalFromCamera
            * orientation.viewFromCamera.transpose
        // The rows x, y and w of the projection matrix; z is inserted between.
        let depth = zFar.isFinite ? Vector2(zFar / (zNear - zFar), zNear * zFar / (zNear - zFar)) : Vector2(-1, -zNear)
        func column(_ c: Vector3, _ z: Float) -> Vector4 { Vector4(c.x, c.y, z, c.z) }
        return Matrix4(column(flat.x, 0), column(flat.y, 0), column(flat.z, depth.x), Vector4(0, 0, depth.y, 0))
    }
}

extension Matrix3 {
    /// Transforms a 2D point by an affine matrix whose last row is (0, 0, 1).
    func transform(point: Vector2) -> Vector2 { Vector2(x.x, x.y) * point.x + Vector2(y.x, y.y) * point.y + Vector2(z.x, z.y) }
}
