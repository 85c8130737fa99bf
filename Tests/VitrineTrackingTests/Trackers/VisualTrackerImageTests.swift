import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// Tracking in images of a painted wall: one plane explains all motion. With a covered lens and with a marker.
@Suite struct VisualTrackerImageTests {
    private static let camera = CameraIntrinsics.pinhole(240, 180, focal: 220)
    private static let edge = 0.3

    /// Returns the pose of a camera that moves along the wall and faces it: one metre and back.
    private static func worldFromCamera(_ time: Double) -> RigidTransform {
        let x = 0.5 * sin(1.1 * time)
        let eye = Vector3d(x, 0.15 * sin(0.9 * time), 0.25 * sin(0.7 * time))
        let turn = Vector3d(0.03 * sin(1.3 * time), -0.25 * x, 0.02 * sin(time))
        return RigidTransform(rotation: .rotation(turn), translation: eye)
    }

    /// The image of the wall, with an upright marker of size `edge` left of the centre. The world's y axis points down here.
    private static func image(_ wall: PaintedWall, _ worldFromCamera: RigidTransform, hasMarker: Bool) -> Plane<UInt8> {
        var image = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 0)
        let cells = 8.0
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                var sum = 0.0
                for k in 0..<4 {
                    let part = Vector2d(Double(k % 2), Double(k / 2)) / 2 + 0.25
                    let position = wall.point(Vector2d(Double(x), Double(y)) + part, camera, worldFromCamera)
                    let (column, row) = ((position.x + 0.45) / edge * cells - 1, (position.y + 0.15) / edge * cells - 1)
                    if hasMarker, column > -2, row > -2, column < 8, row < 8 {
                        let isBlack = column > -1 && row > -1 && column < 7 && row < 7
                        let isWhite = MarkerDictionary.aprilTag36h11.isWhite(
                            id: 3, row: Int(row.rounded(.down)), column: Int(column.rounded(.down)))
                        sum += !isBlack || isWhite ? 215 : 30
                    } else {
                        sum += wall.value(position.x, position.y)
                    }
                }
                image[x, y] = UInt8((sum / 4).rounded())
            }
        }
        return image
    }

    private struct Run {
        var results: [TrackingResult] = []
        let tracker: VisualTracker

        func comparison(_ times: ClosedRange<Double>, _ alignment: TrajectoryComparison.Alignment) throws -> TrajectoryComparison {
            let known = results.filter { $0.state == .normal && times.contains($0.time) }
            let estimate = known.compactMap { result in result.worldFromCamera.map { TimedPose(time: result.time, pose: $0) } }
            let truth = known.map { TimedPose(time: $0.time, pose: VisualTrackerImageTests.worldFromCamera($0.time)) }
            return try TrajectoryComparison(estimate: estimate, truth: truth, alignment: alignment)
        }
    }

    private func run(_ scale: VisualScale, seconds: Double, covered: ClosedRange<Double>? = nil) -> Run {
        let rig = SensorRig(camera: Self.camera, hasInertialUnit: false)
        var run = Run(tracker: VisualTracker(rig: rig, settings: .init(scale: scale)))
        var hasMarker = false
        if case .marker = scale { hasMarker = true }
        let wall = PaintedWall(depth: 1.6, finest: 0.06)
        for index in 0..<Int(seconds * 12) {
            let time = Double(index) / 12
            let isCovered = covered?.contains(time) ?? false
            let image =
                isCovered
                ? Plane<UInt8>(width: Self.camera.width, height: Self.camera.height, repeating: 3)
                : Self.image(wall, Self.worldFromCamera(time), hasMarker: hasMarker)
            run.results.append(run.tracker.track(image, time: time))
        }
        return run
    }

    @Test func relocalizesAfterACoveredLens() throws {
        // Longer than features are kept: the tracker must relocalize, on the way back.
        let run = run(.medianDepth(1.6), seconds: 4.5, covered: 1.7...3)
        let comparison = try run.comparison(0...4.5, .similarity)
        #expect(run.tracker.diagnostics.initializations == 1)
        #expect(run.results.contains { $0.state == .limited(.relocalizing) })
        #expect(run.results.last?.state == .normal)
        #expect(comparison.positionRMSE < 0.02)
        #expect(run.tracker.diagnostics.recoveries == 1)
        // The given median depth is correct within some percent.
        #expect(abs(comparison.truthFromEstimate.scale - 1) < 0.1)
    }

    /// The depth image of a wall, of half the image's size.
    private static func depth(of wall: PaintedWall, _ worldFromCamera: RigidTransform) -> Plane<Float> {
        var depth = Plane<Float>(width: 120, height: 90, repeating: 0)
        for y in 0..<90 {
            for x in 0..<120 {
                let point = wall.point(Vector2d(2 * Double(x) + 1, 2 * Double(y) + 1), camera, worldFromCamera)
                depth[x, y] = Float((worldFromCamera.inverse * Vector3d(point.x, point.y, wall.depth)).z)
            }
        }
        return depth
    }

    /// With depth images tracking starts in the first frame, in metres, also if the hand only turns.
    @Test func depthImagesStartPureRotationInMetres() throws {
        let tracker = VisualTracker(rig: SensorRig(camera: Self.camera, hasInertialUnit: false))
        let wall = PaintedWall(depth: 1.6, finest: 0.06)
        for index in 0..<30 {
            let angle = 0.012 * Double(index)
            let truth = RigidTransform(rotation: .rotation(Vector3d(0.2 * angle, angle, 0)), translation: .zero)
            let result = tracker.track(
                Self.image(wall, truth, hasMarker: false), depth: Self.depth(of: wall, truth), second: nil, time: Double(index) / 12)
            #expect(result.state == .normal, "\(index)")
            let pose = try #require(result.worldFromCamera)
            #expect(length(pose.translation) < 0.01, "\(index)")
            if index > 0 { #expect(result.points.count > 20) }
        }
        // The points lie on the wall: their distance is metric.
        #expect(tracker.diagnostics.initializations == 1 && tracker.diagnostics.losses == 0)
    }

    /// A scale that was guessed without depth is replaced once depth images arrive.
    @Test func laterDepthReplacesAGuessedScale() throws {
        let tracker = VisualTracker(rig: SensorRig(camera: Self.camera, hasInertialUnit: false))
        let wall = PaintedWall(depth: 1.6, finest: 0.06)
        var results: [TrackingResult] = []
        for index in 0..<44 {
            let truth = Self.worldFromCamera(Double(index) / 12)
            let depth = index < 30 ? nil : Self.depth(of: wall, truth)
            results.append(tracker.track(Self.image(wall, truth, hasMarker: false), depth: depth, second: nil, time: Double(index) / 12))
        }
        #expect(results[29].state == .limited(.scaleUnknown))
        #expect(results[43].state == .normal)
        #expect(tracker.diagnostics.scaleCorrections == 1)
        let (pose, before) = (try #require(results[43].worldFromCamera), try #require(results[38].worldFromCamera))
        let way = length(Self.worldFromCamera(43.0 / 12).translation - Self.worldFromCamera(38.0 / 12).translation)
        #expect(abs(length(pose.translation - before.translation) / way - 1) < 0.08)
    }

    @Test func markerSetsTheScale() throws {
        let run = run(.marker(edge: Self.edge), seconds: 3)
        let rigid = try run.comparison(0...3, .rigid)
        #expect(run.results.first?.state == .normal || run.results[12].state == .normal)
        #expect(run.results.last?.state == .normal)
        #expect(run.tracker.diagnostics.initializations == 1)
        // Before there is a map, the pose from a marker 40 pixels wide is wrong by some centimetres.
        #expect(rigid.positionRMSE < 0.05)
        #expect(abs(try run.comparison(0...3, .similarity).truthFromEstimate.scale - 1) < 0.03)
    }
}
