import Testing
import VitrineTracking
import VitrineVision

@testable import VitrineSimulation

@Suite struct AnchorEvaluationTests {
    /// A camera that stands still. From 4 s on its pose is 10 cm off; at 12 s the map corrects it and the keyframe of that time.
    @Test func anchorsThatFollowTheirKeyframeAreRight() {
        var evaluation = AnchorEvaluation()
        let camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(230, 230), center: Vector2d(160, 120))
        func shift(_ x: Double) -> RigidTransform { RigidTransform(rotation: .identity, translation: Vector3d(x, 0, 0)) }
        for frame in 0..<100 {
            let time = Double(frame) / 5
            let isOff = time >= 4 && time < 12
            var result = TrackingResult(
                time: time, state: .normal, worldFromCamera: shift(isOff ? 0.1 : 0), rig: SensorRig(camera: camera))
            result.referenceKeyframe = isOff ? 2 : 1
            if frame == 60 { result.keyframeMoves = [2: shift(-0.1)] }
            evaluation.add(result, truth: shift(0))
        }
        #expect(evaluation.count >= 9)
        // The anchors of the first seconds were also measured while the pose was wrong.
        let late = evaluation.errors.suffix(20)
        #expect(late.allSatisfy { $0 < 1e-9 })
        #expect((evaluation.fixedErrors.suffix(20).max() ?? 0) > 0.099)
        #expect(abs((evaluation.errors.max() ?? 0) - 0.1) < 1e-9)
    }
}
