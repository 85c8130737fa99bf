import VitrineVision

/// The aligned scene: photos with poses, and points with their observations. One frame and unit.
struct ObjectEvidence: Sendable {
    /// A photo with its pose.
    struct Photo: Sendable {
        var camera: PosedCamera
        /// The EXIF orientation of the stored photo, 1…8; 1 is upright.
        var orientation: Int
        /// Towards the sky in the camera's frame (x right, y down, z forward), by a sensor; nil without one.
        var upInCamera: Vector3d?

        init(camera: PosedCamera, orientation: Int = 1, upInCamera: Vector3d? = nil) {
            (self.camera, self.orientation, self.upInCamera) = (camera, orientation, upInCamera)
        }

        /// The upper edge of the photo as a person views it, in the camera's frame.
        var imageUp: Vector3d {
            switch orientation {
            case 3, 4: Vector3d(0, 1, 0)
            case 5, 6: Vector3d(-1, 0, 0)
            case 7, 8: Vector3d(1, 0, 0)
            default: Vector3d(0, -1, 0)
            }
        }
    }

    /// The aligned photos, in a fixed order.
    var photos: [Photo]
    var points: [Vector3d]
    /// The indices of the photos that observe point i are `viewIndices[viewOffsets[i]..<viewOffsets[i + 1]]`.
    var viewOffsets: [Int]
    var viewIndices: [Int]

    /// Creates the evidence from photos, points and their observations.
    ///
    /// - Precondition: `viewOffsets.count == points.count + 1`.
    init(photos: [Photo], points: [Vector3d], viewOffsets: [Int], viewIndices: [Int]) {
        precondition(viewOffsets.count == points.count + 1)
        (self.photos, self.points, self.viewOffsets, self.viewIndices) = (photos, points, viewOffsets, viewIndices)
    }

    init(photos: [Photo], points: [Vector3d], views: [[Int]]) {
        var offsets = [0]
        for list in views { offsets.append(offsets[offsets.count - 1] + list.count) }
        self.init(photos: photos, points: points, viewOffsets: offsets, viewIndices: views.flatMap { $0 })
    }
}

extension ObjectEvidence {
    /// The evidence of a sparse model.
    ///
    /// - Parameters:
    ///   - orientations: The EXIF orientations of the photos, 1…8; nil if all are upright.
    ///   - upsInCamera: The directions towards the sky in the frames of the photos' cameras, measured by a sensor; nil if none is known.
    init(_ model: SparseModel, orientations: [Int]? = nil, upsInCamera: [Vector3d?]? = nil) {
        var photoIndices = [Int?](repeating: nil, count: model.cameras.count)
        var photos: [Photo] = []
        for (index, camera) in model.cameras.enumerated() {
            guard let camera else { continue }
            photoIndices[index] = photos.count
            photos.append(
                Photo(camera: camera, orientation: orientations?[safe: index] ?? 1, upInCamera: upsInCamera?[safe: index] ?? nil))
        }
        let views = model.points.map { point in point.observations.compactMap { photoIndices[safe: Int($0.x)] ?? nil } }
        self.init(photos: photos, points: model.points.map(\.position), views: views)
    }
}
