import VitrineGeometry

/// What the alignment of photos finds: where each camera stood, how each lens maps, and points of the scene.
///
/// World frame and unit are arbitrary (the first pair's) unless cameras were given: `move(by:)` puts the model elsewhere.
public struct SparseModel: Sendable {
    /// One a photo in the order given; nil where the photo could not be placed.
    public var cameras: [PosedCamera?]
    /// Photos that share a lens; each photo is in exactly one.
    public var groups: [CameraGroup]
    public var points: [SparsePoint]
    /// One a photo: how well its points fit.
    public var fits: [PhotoFit]
    /// The photos without a camera, rising, with the reason.
    public var leftOut: [LeftOutPhoto]

    public init(
        cameras: [PosedCamera?], groups: [CameraGroup], points: [SparsePoint], fits: [PhotoFit], leftOut: [LeftOutPhoto]
    ) {
        (self.cameras, self.groups, self.points, self.fits, self.leftOut) = (cameras, groups, points, fits, leftOut)
    }

    /// The photos with a camera, rising.
    public var registered: [Int] { cameras.indices.filter { cameras[$0] != nil } }

    /// The mean distance of all observations from their points' projections, in pixels.
    public var meanReprojectionError: Double {
        let count = fits.reduce(0) { $0 + $1.observationCount }
        return count == 0 ? 0 : fits.reduce(0) { $0 + $1.meanError * Double($1.observationCount) } / Double(count)
    }

    /// Puts cameras and points into another world: `newWorldFromWorld`.
    public mutating func move(by newWorldFromWorld: SimilarityTransform) {
        for photo in cameras.indices where cameras[photo] != nil {
            cameras[photo]!.cameraFromWorld = newWorldFromWorld.moved(cameras[photo]!.cameraFromWorld)
        }
        for index in points.indices { points[index].position = newWorldFromWorld * points[index].position }
    }
}

/// A point of the scene, found by triangulation.
public struct SparsePoint: Sendable, Equatable {
    /// World frame.
    public var position: Vector3d
    /// sRGB-encoded; black until somebody who holds the photos fills it in.
    public var color: SIMD3<UInt8>
    /// (photo, feature), rising by photo; at least two.
    public var observations: [SIMD2<UInt32>]
    /// The mean distance of the observations from the point's projections, in pixels.
    public var error: Float

    public init(position: Vector3d, color: SIMD3<UInt8> = .zero, observations: [SIMD2<UInt32>], error: Float = 0) {
        (self.position, self.color, self.observations, self.error) = (position, color, observations, error)
    }
}

/// Photos that were taken with one lens at one setting and size, and so share intrinsics.
public struct CameraGroup: Sendable, Equatable {
    public var intrinsics: CameraIntrinsics
    /// The lens model that was fitted. A richer one is used only where the photos determine its parameters.
    public var lens: LensModel
    /// The standard deviation of the focal length as estimated, as a share of it; 0 where it was given and held.
    public var focalDeviation: Double
    /// Rising.
    public var photos: [Int]

    public init(intrinsics: CameraIntrinsics, lens: LensModel, focalDeviation: Double = 0, photos: [Int]) {
        (self.intrinsics, self.lens, self.focalDeviation, self.photos) = (intrinsics, lens, focalDeviation, photos)
    }
}

/// How well one photo agrees with the model.
public struct PhotoFit: Sendable, Equatable {
    /// How many points of the model were seen in it.
    public var observationCount: Int
    /// Distances between features and projected points, in pixels; 0 where there are none.
    public var meanError, medianError: Double

    public init(observationCount: Int = 0, meanError: Double = 0, medianError: Double = 0) {
        (self.observationCount, self.meanError, self.medianError) = (observationCount, meanError, medianError)
    }
}

/// A photo that got no camera.
public struct LeftOutPhoto: Sendable, Equatable {
    public enum Reason: String, Sendable {
        /// It shares too few verified matches with any other photo.
        case noMatches
        /// It matches others, but too few of its features are points of the model.
        case tooFewPoints
        /// It sees points of the model, but no pose explains enough of them.
        case noPose
        /// It belongs to a part of the photos that doesn't connect with the largest.
        case separatePart
    }

    public var photo: Int
    public var reason: Reason

    public init(photo: Int, reason: Reason) { (self.photo, self.reason) = (photo, reason) }
}
