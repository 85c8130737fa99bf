/// A photo ready for the dense stages: no lens distortion, its camera known.
public struct PhotoView: Sendable {
    /// The photo's place in the reconstruction's list: what point clouds and reports refer to.
    public let photo: Int
    /// A pinhole: `intrinsics.isDistorted` is false; the size is `color`'s.
    public let camera: PosedCamera
    public let color: ColorPlane
    /// Of `color`'s size, or nil where nothing is masked.
    public let mask: MaskPlane?
    /// The range of depths (z in the camera's frame, the world's unit) in which this photo's object lies.
    public let depthRange: ClosedRange<Float>

    public init(photo: Int, camera: PosedCamera, color: ColorPlane, mask: MaskPlane? = nil, depthRange: ClosedRange<Float>) {
        (self.photo, self.camera, self.color, self.mask, self.depthRange) = (photo, camera, color, mask, depthRange)
    }
}
