/// An undistorted photo with its camera: input of the dense stages.
public struct PhotoView: Sendable {
    /// The index of the photo in the reconstruction, as point clouds and reports refer to it.
    public let photo: Int
    /// A pinhole camera of `color`'s size.
    public let camera: PosedCamera
    public let color: ColorPlane
    /// Of `color`'s size; nil without a mask.
    public let mask: MaskPlane?
    /// The range of depths of the object: z in the camera frame, world unit.
    public let depthRange: ClosedRange<Float>

    public init(photo: Int, camera: PosedCamera, color: ColorPlane, mask: MaskPlane? = nil, depthRange: ClosedRange<Float>) {
        (self.photo, self.camera, self.color, self.mask, self.depthRange) = (photo, camera, color, mask, depthRange)
    }
}
