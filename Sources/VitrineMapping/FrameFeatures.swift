import VitrineMath
import VitrineVision

/// A tracked feature's position in a frame.
package struct TrackedCorner: Sendable {
    /// Identifies the feature over all frames.
    package var id: Int
    /// The position in working pixels: those of the pyramid's level 0.
    package var position: SIMD2<Float>

    package init(id: Int, position: SIMD2<Float>) { (self.id, self.position) = (id, position) }
}

/// A frame for the map: its image and tracked features.
struct CapturedFrame: Sendable {
    /// The time on the camera's clock.
    var time: Double
    var isKeyframe: Bool
    var isQuery: Bool
    /// The tracked corners, ordered by ascending identifier.
    var tracked: [TrackedCorner]
    /// Width of a working pixel in image pixels.
    let scale: Float
    let levels: [ImagePyramid.Level]
    /// The rotation vector of the camera, on its axes, between the exposures of the first and the last row.
    var readoutTurn = Vector3d.zero

    init(_ tracked: [TrackedCorner], _ pyramid: ImagePyramid, time: Double, isKeyframe: Bool, isQuery: Bool) {
        (self.tracked, self.time, self.isKeyframe, self.isQuery) = (tracked, time, isKeyframe, isQuery)
        (scale, levels) = (Float(pyramid.scale), Array(pyramid.levels.prefix(4)))
    }
}

/// The corners of a frame at several scales, with descriptors whose orientation is the gravity direction.
struct FrameFeatures: Sendable {
    struct Corner: Sendable {
        /// The position in image pixels, as if all rows were exposed with the middle one.
        var position: SIMD2<Float>
        /// The pyramid level at which the corner was detected.
        var level: Int
        /// The identifier of the tracked feature; −1 without.
        var id = -1
    }

    private(set) var corners: [Corner]
    /// Descriptors of the corners' neighbourhoods, and of neighbourhoods √2 times as large, for queries: the corners' scales are an octave apart.
    private(set) var descriptors: [CornerDescriptors]
    /// Width of a working pixel in image pixels.
    let scale: Float

    /// Detects and describes the corners of a frame.
    ///
    /// - Parameters:
    ///   - pose: The pose of the frame, of which only the direction of gravity is used.
    ///   - count: The number of corners, without the tracked features.
    ///   - isQuery: Whether to describe two sizes.
    init(_ frame: CapturedFrame, at pose: RigidTransform, camera: CameraIntrinsics, count: Int, isQuery: Bool) {
        scale = frame.scale
        corners = []
        for (level, share) in [0.55, 0.3, 0.15].enumerated() where level + 1 < frame.levels.count {
            let factor = frame.scale * Float(1 << level)
            corners += Self.detected(frame.levels[level], count: Int(share * Double(count))).map {
                Corner(position: $0 * factor, level: level)
            }
        }
        Self.attach(frame.tracked, to: &corners, scale: frame.scale)
        let angles = corners.map { Self.upright($0.position, pose, camera) }
        descriptors = (isQuery ? [1, Float(2).squareRoot()] : [1]).map { [corners, scale] in
            Self.described(corners, angles, frame.levels, scale: scale, size: $0)
        }
        correct(readoutTurn: frame.readoutTurn, camera)
    }

    /// Standard deviation of a corner's direction in radians.
    func noise(_ corner: Int, focal: Double) -> Double { Double(scale) * (0.5 + 0.5 * Double(1 << corners[corner].level)) / focal }

    /// Moves corners to where they would be if all rows were exposed with the middle one, without the camera's translation in between.
    private mutating func correct(readoutTurn turn: Vector3d, _ camera: CameraIntrinsics) {
        guard turn != .zero else { return }
        for index in corners.indices {
            let pixel = Vector2d(corners[index].position)
            let normalized = camera.normalized(pixel)
            let share = min(max(pixel.y / Double(camera.height) - 0.5, -0.5), 0.5)
            let ray = Matrix3d.rotation(turn * share) * Vector3d(normalized.x, normalized.y, 1)
            if ray.z > 0.05 { corners[index].position = SIMD2<Float>(camera.project(ray)) }
        }
    }

    /// The locally strongest corners of an image, spread evenly.
    private static func detected(_ level: ImagePyramid.Level, count: Int) -> [SIMD2<Float>] {
        var detector = CornerDetector(side: 32)
        var found: [(rank: Int, corner: CornerDetector.Corner)] = []
        for y in stride(from: 0, to: level.height, by: detector.side) {
            for x in stride(from: 0, to: level.width, by: detector.side) {
                let corners = detector.corners(level, x: x, y: y, margin: 9, minimumStrength: 4, distance: 6, count: 6)
                found += corners.enumerated().map { ($0, $1) }
            }
        }
        // The best of each cell first.
        let order = found.indices.sorted {
            (found[$0].rank, found[$1].corner.strength, $0) < (found[$1].rank, found[$0].corner.strength, $1)
        }
        return order.prefix(count).map { found[$0].corner.position }
    }

    /// Gives detected corners at level 0 the identifiers of tracked features, and adds the other features.
    private static func attach(_ tracked: [TrackedCorner], to corners: inout [Corner], scale: Float) {
        let detected = corners.prefix { $0.level == 0 }.count
        for feature in tracked {
            let position = feature.position * scale
            var nearest: (index: Int, distance: Float)?
            for index in 0..<detected where corners[index].id < 0 {
                let distance = squaredDistance(corners[index].position, position)
                if distance < nearest?.distance ?? (2.25 * scale * scale) { nearest = (index, distance) }
            }
            if let nearest {
                (corners[nearest.index].position, corners[nearest.index].id) = (position, feature.id)
            } else {
                corners.append(Corner(position: position, level: 0, id: feature.id))
            }
        }
    }

    private static func described(
        _ corners: [Corner], _ angles: [Float?], _ levels: [ImagePyramid.Level], scale: Float, size: Float
    ) -> CornerDescriptors {
        var describer = CornerDescriber()
        var all: [(owner: Int32, bytes: ArraySlice<UInt8>)] = []
        for level in 0..<max(0, levels.count - 1) {
            let chosen = corners.indices.filter { corners[$0].level == level }
            guard !chosen.isEmpty else { continue }
            // The next level has about the blur that the descriptor needs.
            let source = levels[level + 1]
            let factor = 1 / (scale * Float(2 << level))
            let (owners, set) = source.values.withUnsafeBufferPointer {
                describer.describe(
                    $0.baseAddress! + source.origin, width: source.width, height: source.height, stride: source.stride,
                    corners: chosen.map { corners[$0].position * factor }, angles: chosen.map { angles[$0] }, scale: size)
            }
            for (index, owner) in owners.enumerated() {
                all.append((Int32(chosen[Int(owner)]), set.bytes[(128 * index)..<(128 * index + 128)]))
            }
        }
        let order = all.indices.sorted { (all[$0].owner, $0) < (all[$1].owner, $1) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 * all.count)
        for index in order { bytes += all[index].bytes }
        return CornerDescriptors(owners: order.map { all[$0].owner }, set: DescriptorSet(bytes))
    }

    /// The angle of the gravity direction in the image at a pixel; nil for nearly vertical viewing directions.
    private static func upright(_ pixel: SIMD2<Float>, _ pose: RigidTransform, _ camera: CameraIntrinsics) -> Float? {
        let down = pose.rotation.transpose * Vector3d(0, -1, 0)
        let normalized = camera.normalized(Vector2d(pixel))
        let ray = normalize(Vector3d(normalized.x, normalized.y, 1))
        let across = down - ray * dot(ray, down)
        let size = length(across)
        guard size > 0.2 else { return nil }
        let moved = camera.project(ray + across * (0.01 / size)) - camera.project(ray)
        // The angle is 0 if gravity points along +y.
        return Float(atan2(moved.y, moved.x) - Double.pi / 2)
    }
}
