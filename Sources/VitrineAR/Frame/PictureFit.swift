import VitrineMath

/// How a camera's picture fills a view: turned as the view is held, middle on middle, as small as it can be without leaving a part of the view
/// empty.
///
/// Coordinates are normalized, in the picture as in the view: 0…1 to the right and down from the upper left corner.
struct PictureFit: Equatable, Sendable {
    /// A point of the view from one of the picture; homogeneous, the last row is (0, 0, 1).
    let viewFromPicture: Matrix3
    private let orientation: InterfaceOrientation
    private let pictureSize: Vector2

    /// - Parameters:
    ///   - pictureSize: in pixels, above 0.
    ///   - viewportSize: in any unit, above 0.
    init(pictureSize: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) {
        let turnedSize = orientation.isPortrait ? Vector2(pictureSize.y, pictureSize.x) : pictureSize
        let scales = viewportSize / turnedSize
        let shown = turnedSize * scales.max() / viewportSize
        let margin = (Vector2(1, 1) - shown) / 2
        let viewFromTurned = Matrix3(Vector3(shown.x, 0, 0), Vector3(0, shown.y, 0), Vector3(margin.x, margin.y, 1))
        viewFromPicture = viewFromTurned * orientation.turnedFromPicture
        (self.orientation, self.pictureSize) = (orientation, pictureSize)
    }

    /// From the view's frame (x right, y up, −z ahead) to clip space: depth 0 at `zNear`, 1 at `zFar`.
    ///
    /// - Parameter pictureFromCamera: the pinhole: pixels from x right, y down, z ahead.
    func clipFromView(pictureFromCamera: Matrix3, zNear: Float, zFar: Float) -> Matrix4 {
        let clipFromNormalized = Matrix3(Vector3(2, 0, 0), Vector3(0, -2, 0), Vector3(-1, 1, 1))
        let normalizedFromPixel = Matrix3(Vector3(1 / pictureSize.x, 0, 0), Vector3(0, 1 / pictureSize.y, 0), Vector3(0, 0, 1))
        let opticalFromCamera = Matrix3(Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1))
        let flat =
            clipFromNormalized * viewFromPicture * normalizedFromPixel * pictureFromCamera * opticalFromCamera
            * orientation.viewFromCamera.transpose
        // The matrix of a whole pinhole: rows x, y and w; z is put between.
        let depth = zFar.isFinite ? Vector2(zFar / (zNear - zFar), zNear * zFar / (zNear - zFar)) : Vector2(-1, -zNear)
        func column(_ c: Vector3, _ z: Float) -> Vector4 { Vector4(c.x, c.y, z, c.z) }
        return Matrix4(column(flat.x, 0), column(flat.y, 0), column(flat.z, depth.x), Vector4(0, 0, depth.y, 0))
    }
}

extension Matrix3 {
    /// The image of a point of the plane under an affine map whose last row is (0, 0, 1).
    func transform(point: Vector2) -> Vector2 { Vector2(x.x, x.y) * point.x + Vector2(y.x, y.y) * point.y + Vector2(z.x, z.y) }
}
