import VitrineGeometry

/// A sparse reconstruction: camera poses, intrinsics and scene points.
///
/// World frame and unit are arbitrary (the initial pair's) unless cameras were given; `move(by:)` changes them.
package struct SparseModel: Sendable {
    /// The camera of each photo; nil if the photo could not be registered.
    package var cameras: [PosedCamera?]
    /// Groups of photos with shared intrinsics; each photo is in exactly one.
    package var groups: [CameraGroup]
    package var points: [SparsePoint]
    /// The reprojection errors of each photo.
    package var fits: [PhotoFit]
    /// The unregistered photos in ascending order, with reasons.
    package var leftOut: [LeftOutPhoto]

    package init(
        cameras: [PosedCamera?], groups: [CameraGroup], points: [SparsePoint], fits: [PhotoFit], leftOut: [LeftOutPhoto]
    ) {
        (self.cameras, self.groups, self.points, self.fits, self.leftOut) = (cameras, groups, points, fits, leftOut)
    }

    /// The registered photos in ascending order.
    package var registered: [Int] { cameras.indices.filter { cameras[$0] != nil } }

    /// The mean reprojection error of all observations, in pixels.
    package var meanReprojectionError: Double {
        let count = fits.reduce(0) { $0 + $1.observationCount }
        return count == 0 ? 0 : fits.reduce(0) { $0 + $1.meanError * Double($1.observationCount) } / Double(count)
    }

    /// Transforms cameras and points to another world frame by `newWorldFromWorld`.
    package mutating func move(by newWorldFromWorld: SimilarityTransform) {
        for photo in cameras.indices where cameras[photo] != nil {
            cameras[photo]!.cameraFromWorld = newWorldFromWorld.moved(cameras[photo]!.cameraFromWorld)
        }
        for index in points.indices { points[index].position = newWorldFromWorld * points[index].position }
    }
}

/// A triangulated scene point.
package struct SparsePoint: Sendable, Equatable {
    /// The position in the world frame.
    package var position: Vector3d
    /// The colour, sRGB-encoded; black until it is set from the photos.
    package var color: SIMD3<UInt8>
    /// The observations as pairs (photo, feature), in ascending order of photos; at least two.
    package var observations: [SIMD2<UInt32>]
    /// The mean reprojection error, in pixels.
    package var error: Float

    package init(position: Vector3d, color: SIMD3<UInt8> = .zero, observations: [SIMD2<UInt32>], error: Float = 0) {
        (self.position, self.color, self.observations, self.error) = (position, color, observations, error)
    }
}

/// Photos with shared intrinsics: taken with one lens at one setting and size.
package struct CameraGroup: Sendable, Equatable {
    package var intrinsics: CameraIntrinsics
    /// The fitted lens model.
    package var lens: LensModel
    /// The estimated standard deviation of the focal length relative to it; 0 if it was given.
    package var focalDeviation: Double
    /// The photos in ascending order.
    package var photos: [Int]

    package init(intrinsics: CameraIntrinsics, lens: LensModel, focalDeviation: Double = 0, photos: [Int]) {
        (self.intrinsics, self.lens, self.focalDeviation, self.photos) = (intrinsics, lens, focalDeviation, photos)
    }
}

/// The reprojection errors of a photo.
package struct PhotoFit: Sendable, Equatable {
    /// The number of observed points.
    package var observationCount: Int
    /// Reprojection errors in pixels; 0 without observations.
    package var meanError, medianError: Double
    /// The share of the photo's verified matches that contradict its camera: they agree on another relative pose, which is near the model's. 0…1; 0 if
    /// cameras are known.
    package var contradictedShare: Double

    package init(observationCount: Int = 0, meanError: Double = 0, medianError: Double = 0, contradictedShare: Double = 0) {
        (self.observationCount, self.meanError, self.medianError) = (observationCount, meanError, medianError)
        self.contradictedShare = contradictedShare
    }
}

/// A photo that could not be registered.
package struct LeftOutPhoto: Sendable, Equatable {
    package enum Reason: String, Sendable {
        /// The photo has too few verified matches with every other photo.
        case noMatches
        /// The photo has matches, but too few of its features belong to points of the model.
        case tooFewPoints
        /// No pose explains enough of the photo's observations of the model's points.
        case noPose
        /// The photo belongs to a group without a connection to the largest group.
        case separatePart
    }

    package var photo: Int
    package var reason: Reason

    package init(photo: Int, reason: Reason) { (self.photo, self.reason) = (photo, reason) }
}
