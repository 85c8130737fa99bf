import VitrineMath

/// The geometry of two photos of a rigid scene, estimated from matches.
package struct TwoViewGeometry: Sendable, Equatable {
    /// The model that explains the matches.
    package enum Kind: Sendable, Equatable {
        /// Sufficient parallax and depth: the epipolar geometry is well determined.
        case general
        /// Matches on one plane (or nearly): the relative pose is ambiguous between two solutions.
        case planar
        /// Rotation without sufficient translation: no depth from this pair.
        case rotation
    }

    package var kind: Kind
    /// The fundamental matrix: secondᵀ · fundamental · first = 0 for pixels (x, y, 1) of the photos as stored, lens distortion ignored; for
    /// fisheye photos, pixels of their undistorted pinhole cameras. Unit Frobenius norm.
    package var fundamental: Matrix3d
    /// The homography of a plane or a rotation between pixels, second ~ homography · first; nil if none was found.
    package var homography: Matrix3d?
    /// The inliers of the best homography as a share of those of the epipolar geometry, 0…1.
    package var homographyInlierShare: Double
    /// The pose of the first camera relative to the second (`secondFromFirst`): it maps points from the first camera's frame to the
    /// second's; the translation has length 1. Nil if the focal lengths are not known well enough for a pose to explain the matches, or for
    /// `rotation`.
    package var relativePose: RigidTransform?
    /// The median triangulation angle, radians; 0 without a relative pose.
    package var medianAngle: Double

    package init(
        kind: Kind, fundamental: Matrix3d, homography: Matrix3d? = nil, homographyInlierShare: Double = 0,
        relativePose: RigidTransform? = nil, medianAngle: Double = 0
    ) {
        (self.kind, self.fundamental, self.homography) = (kind, fundamental, homography)
        (self.homographyInlierShare, self.relativePose, self.medianAngle) = (homographyInlierShare, relativePose, medianAngle)
    }
}

extension TwoViewGeometry {
    /// The geometry of two cameras in one frame.
    init(_ first: PosedCamera, _ second: PosedCamera) {
        let secondFromFirst = second.cameraFromWorld * first.cameraFromWorld.inverse
        let essential = Matrix3d.skew(secondFromFirst.translation) * secondFromFirst.rotation
        func inverse(_ camera: CameraIntrinsics) -> Matrix3d {
            Matrix3d(
                rows: Vector3d(camera.focal.x, 0, camera.center.x), Vector3d(0, camera.focal.y, camera.center.y), Vector3d(0, 0, 1)
            ).inverse
        }
        let fundamental = inverse(second.intrinsics).transpose * essential * inverse(first.intrinsics)
        self.init(kind: .general, fundamental: fundamental.unit ?? .identity)
    }
}
