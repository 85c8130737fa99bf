// modules: VitrineVision VitrineVideo VitrineMapping VitrineTracking VitrineAR
import VitrineTracking
import VitrineVision

@testable import VitrineAR

/// Vitrine recordings: a header if the text starts with a space, else lines of events. Writes the result and reads it again.
let recordingTarget = FuzzTarget(
    seeds: {
        let camera = CameraIntrinsics(
            width: 9, height: 7, focal: Vector2d(7.1, 7.2), center: Vector2d(4.6, 3.4),
            distortion: .kannalaBrandt(SIMD4(0.1, -0.02, 1e-3, 0)))
        let pose = RigidTransform(rotation: .rotation(Vector3d(0.1, -0.7, 2)), translation: Vector3d(0.01, -1, 3e-5))
        let header = RecordingHeader(
            rig: SensorRig(camera: camera, cameraFromBody: pose, timeOffset: -0.047), clockOrigin: 7, device: "a \"b\"\n")
        var image = RecordedImage(time: 0.1, file: "frames/000000.png")
        (image.chroma, image.depth, image.confidence) = ("frames/000000-chroma.png", "frames/a.png", "frames/é.png")
        (image.exposureDuration, image.gain, image.camera, image.worldFromCamera) = (0.01, 2, camera, pose)
        let sample = InertialSample(time: 0.1, angularVelocity: Vector3d(1e-3, 0, -5), acceleration: Vector3d(0.1, 9.81, .nan))
        let events: [RecordedEvent] = [.inertial(sample), .image(image), .interruptionBegan, .end(inertial: 3, images: 1)]
        return [
            Array((" " + header.json).utf8), Array(events.map(\.line).joined(separator: "\n").utf8),
            Array("[{\"\\ud83d\\ude00\":[1e300,null]}]".utf8),
        ]
    },
    run: { input in
        if input.first == 0x20 {
            guard let header = try? RecordingHeader(json: input, name: "recording.json") else { return }
            let again = try? RecordingHeader(json: Array(header.json.utf8), name: "again")
            precondition(again == header)
        } else {
            for line in input.split(separator: 0x0A) { check(line) }
        }
    })

private func check(_ line: ArraySlice<UInt8>) {
    guard let item = try? JSONItemParser.parse(line) else { return }
    precondition((try? JSONItemParser.parse(Array(item.line.utf8)[...])) == item)
    guard let event = try? RecordedEvent(line: line) else { return }
    // NaN is unlike itself: the texts are compared.
    precondition((try? RecordedEvent(line: Array(event.line.utf8)[...]))?.line == event.line)
}
