import VitrineGeometry

/// Cameras, points and where the points were seen: what bundle adjustment moves, and what it compares with.
package struct BundleProblem: Sendable {
    /// A camera's place among the photos.
    package struct Camera: Sendable {
        package var cameraFromWorld: RigidTransform
        /// An index into `lenses`.
        package var lens: Int
        package var isFixed: Bool

        package init(cameraFromWorld: RigidTransform, lens: Int, isFixed: Bool = false) {
            (self.cameraFromWorld, self.lens, self.isFixed) = (cameraFromWorld, lens, isFixed)
        }
    }

    /// Intrinsics that any number of cameras share.
    package struct Lens: Sendable {
        package var intrinsics: CameraIntrinsics
        /// The number of free parameters: the first of `CameraIntrinsics.parameters`, so that each lens model is a prefix of the next.
        var freeParameters: Int
        /// What the parameters are expected to be, and 1 / variance of that expectation: 0 where nothing is known.
        var expected = SIMD16<Double>.zero
        var expectedInformation = SIMD16<Double>.zero

        package init(intrinsics: CameraIntrinsics, freeParameters: Int) {
            (self.intrinsics, self.freeParameters) = (intrinsics, freeParameters)
        }
    }

    package var cameras: [Camera] = []
    package var lenses: [Lens] = []
    package var points: [Vector3d] = []
    package var pointsAreFixed = false
    /// The observations of point i: `pointStarts[i]..<pointStarts[i + 1]`, by rising camera, each camera at most once.
    var pointStarts: [Int] = [0]
    var observedCameras: [Int32] = []
    var observedPixels: [Vector2d] = []
    /// 1 / variance of each observation, relative to the loss's unit.
    var information: [Double] = []

    package init() {}

    package mutating func appendPoint(_ position: Vector3d) {
        points.append(position)
        pointStarts.append(observedCameras.count)
    }

    /// Adds to the point appended last.
    package mutating func appendObservation(camera: Int, pixel: Vector2d, information weight: Double = 1) {
        observedCameras.append(Int32(camera))
        observedPixels.append(pixel)
        information.append(weight)
        pointStarts[pointStarts.count - 1] = observedCameras.count
    }
}
