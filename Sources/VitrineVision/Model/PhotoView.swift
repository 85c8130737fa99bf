/// An undistorted photo with its camera: input of the dense stages.
package struct PhotoView: Sendable {
    /// The index of the photo in the reconstruction, as point clouds and reports refer to it.
    package let photo: Int
    /// A pinhole camera of `color`'s size.
    package let camera: PosedCamera
    package let color: ColorPlane
    /// The mask of `color`'s size; nil without a mask.
    package let mask: MaskPlane?
    /// The range of depths of the object: z in the camera frame, world unit.
    package let depthRange: ClosedRange<Float>

    package init(photo: Int, camera: PosedCamera, color: ColorPlane, mask: MaskPlane? = nil, depthRange: ClosedRange<Float>) {
        (self.photo, self.camera, self.color, self.mask, self.depthRange) = (photo, camera, color, mask, depthRange)
    }
}
