import VitrineGeometry

/// The parameters and observations of a bundle adjustment.
package struct BundleProblem: Sendable {
    /// The pose of a photo's camera, and its lens.
    package struct Camera: Sendable {
        package var cameraFromWorld: RigidTransform
        /// An index into `lenses`.
        package var lens: Int
        package var isFixed: Bool
        /// Priors of the pose.
        package var prior: PosePrior?

        package init(cameraFromWorld: RigidTransform, lens: Int, isFixed: Bool = false) {
            (self.cameraFromWorld, self.lens, self.isFixed) = (cameraFromWorld, lens, isFixed)
        }
    }

    /// An expected pose with the information (1 / variance) of its rotation vector, radians, and of the camera's centre, units of the world.
    package struct PosePrior: Sendable, Equatable {
        package var cameraFromWorld: RigidTransform
        package var rotationInformation, positionInformation: Double

        /// The rotation vector from the expected to the given pose, and the expected centre in the given camera's frame, whose length is the
        /// distance of the two centres.
        func residual(of pose: RigidTransform) -> (rotation: Vector3d, center: Vector3d) {
            let turn = pose.rotation * cameraFromWorld.rotation.transpose
            return (turn.rotationVector, pose * expectedCenter)
        }

        var expectedCenter: Vector3d { -(cameraFromWorld.rotation.transpose * cameraFromWorld.translation) }

        func cost(of pose: RigidTransform) -> Double {
            let residual = residual(of: pose)
            return rotationInformation * lengthSquared(residual.rotation) + positionInformation * lengthSquared(residual.center)
        }
    }

    /// Intrinsics, shared by any number of cameras.
    package struct Lens: Sendable {
        package var intrinsics: CameraIntrinsics
        /// The number of free parameters: the first of `CameraIntrinsics.parameters`, so that each lens model is a prefix of the next.
        var freeParameters: Int
        /// A prior: the expected parameters and their information (1 / variance); 0 without a prior.
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
    /// The observations of point i: `pointStarts[i]..<pointStarts[i + 1]`, in ascending order of cameras, each at most once.
    var pointStarts: [Int] = [0]
    var observedCameras: [Int32] = []
    var observedPixels: [Vector2d] = []
    /// The information (1 / variance) of each observation, in units of the loss.
    var information: [Double] = []

    package init() {}

    package mutating func appendPoint(_ position: Vector3d) {
        points.append(position)
        pointStarts.append(observedCameras.count)
    }

    /// Adds an observation of the last appended point.
    package mutating func appendObservation(camera: Int, pixel: Vector2d, information weight: Double = 1) {
        observedCameras.append(Int32(camera))
        observedPixels.append(pixel)
        information.append(weight)
        pointStarts[pointStarts.count - 1] = observedCameras.count
    }
}
