import VitrineMath
import VitrineTexture
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Outputs of stages as text for users and as the session's result types.

extension LeftOutPhoto.Reason {
    var text: String {
        switch self {
        case .noMatches: "it shares too little with any other photo"
        case .tooFewPoints: "too few of its features are points of the model"
        case .noPose: "no camera pose explains its features"
        case .separatePart: "it belongs to a group of photos that does not connect to the largest"
        }
    }
}

extension ObjectPlacement.UpSource {
    var text: String {
        switch self {
        case .gravity: "a gravity sensor"
        case .cameraRoll: "how the photos were held"
        case .turntable: "the axis of the turntable"
        case .supportPlane: "the plane that the object stands on"
        case .unknown: "nothing: it may be wrong"
        }
    }
}

extension ObjectPlacement.ScaleSource {
    var text: String {
        switch self {
        case .depthMaps: "metres, by depth maps"
        case .given: "metres, as given"
        case .cameras: "the given cameras' unit"
        case .trackedCameras: "metres, by the camera poses of the capture"
        case .unitSize: "none: the object's longest side is 1"
        }
    }
}

extension BackgroundModel.Kind {
    var text: String {
        switch self {
        case .uniform: "uniform, segmented automatically"
        case .staticScene: "the same in all photos, segmented automatically"
        case .sky: "the sky, segmented automatically"
        }
    }
}

extension CameraGroup {
    var text: String {
        let share = intrinsics.focal.x / Double(max(intrinsics.width, intrinsics.height))
        return "\(photos.count) photos, focal length \(Int((36 * share).rounded())) mm (on 36 mm film), lens model \(lens.rawValue)"
    }
}

extension ObjectPlacement {
    /// The radius that smooths the outline of an open surface. The outline of a wall is the border of the photos, that of an object with an open
    /// back the grazing angle of observation: neither is a shape of the object.
    var outlineRadius: Float {
        if subject == .view { return 0.02 }
        return subject == .object && isSeenFromOneSide && supportPlane == nil ? 0.01 : 0
    }
}

extension DetailLimits {
    /// The maps in addition to the base colour.
    var textureMaps: TextureBuilder.Maps {
        var result: TextureBuilder.Maps = []
        if maps.contains(.normal) { result.insert(.normal) }
        if maps.contains(.ambientOcclusion) { result.insert(.occlusion) }
        if maps.contains(.roughness) { result.insert(.roughness) }
        if maps.contains(.displacement) { result.insert(.displacement) }
        return result
    }
}

extension OrientedBox {
    init(_ box: OrientedBoundingBox) {
        // The box's own frame is turned by the orientation about the model's origin.
        let inverse = box.orientation.inverse
        let columns = [Vector3.right, .up, Vector3(0, 0, 1)].map { Vector3d(inverse.rotate($0)) }
        let boxFromWorld = Matrix3d(columns[0], columns[1], columns[2])
        self.init(
            boxFromWorld: RigidTransform(rotation: boxFromWorld, translation: -Vector3d(box.bounds.center)),
            halfExtents: Vector3d(box.bounds.size) / 2)
    }
}

extension PhotogrammetrySession.PointCloud {
    init(_ points: OrientedPoints) {
        self.init(points: zip(points.positions, points.colors).map { Point(position: $0, color: $1) })
    }

    init(_ model: SparseModel) {
        self.init(points: model.points.map { Point(position: Vector3($0.position), color: SIMD4($0.color, 255)) })
    }

    /// Every n-th point, so that there are at most `count`.
    func sample(_ count: Int) -> [Point] {
        let stride = max(1, (points.count + count - 1) / max(1, count))
        return Swift.stride(from: 0, to: points.count, by: stride).map { points[$0] }
    }
}

extension PhotogrammetrySession.Poses {
    init(_ summary: ReconstructionSummary) {
        var (poses, urls): ([Int: PhotogrammetrySession.Pose], [Int: URL]) = ([:], [:])
        for photo in summary.photos {
            poses[photo.id] = photo.pose
            if photo.pose != nil { urls[photo.id] = photo.url }
        }
        self.init(posesBySample: poses, urlsBySample: urls)
    }
}

extension ReconstructionSummary.Photo {
    init(_ photo: Photo) {
        self.init(id: photo.id, name: photo.name, url: photo.url, state: .pending)
        (width, height) = (photo.storedSize.width, photo.storedSize.height)
        (sharpness, brightness) = (photo.facts.sharpness, photo.facts.brightness)
        (orientation, maskCoverage) = (photo.facts.orientation, photo.mask == nil ? nil : photo.facts.maskCoverage)
        thumbnail = photo.facts.thumbnail
    }
}

extension ReconstructionSummary.Alignment {
    /// Cameras and features at the size of the photos' files, independent of the size at which the photos were processed.
    init(_ photos: [VitrineReconstruct.Photo], model: SparseModel, featurePositions: [[SIMD2<Float>]]) {
        var (stored, positions) = (model, featurePositions)
        for (index, photo) in photos.enumerated() where photo.size != photo.storedSize {
            let size = photo.storedSize
            let factor = Double(size.longerSide) / Double(photo.size.longerSide)
            if let intrinsics = model.cameras[index]?.intrinsics {
                stored.cameras[index]?.intrinsics = intrinsics.resized(width: size.width, height: size.height)
            }
            positions[index] = featurePositions[index].map { $0 * Float(factor) }
            stored.fits[index].meanError *= factor
            stored.fits[index].medianError *= factor
        }
        for index in stored.groups.indices {
            guard let first = stored.groups[index].photos.first else { continue }
            let size = photos[first].storedSize
            stored.groups[index].intrinsics = stored.groups[index].intrinsics.resized(width: size.width, height: size.height)
        }
        self.init(
            photos: photos.map { Photo(id: $0.id, name: $0.name, url: $0.url) }, model: stored, featurePositions: positions)
    }
}
