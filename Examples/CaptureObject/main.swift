// Takes the photos of an object for a reconstruction.
//
//     make run EXAMPLE=CaptureObject ARGS="-o FOLDER"             the sample owl on a table in a simulated room
//     make run EXAMPLE=CaptureObject ARGS="RECORDING -o FOLDER"   a recording or a video
//
// Options: --passes N (default 1), --width PIXELS (default 640), --tracking inertial|recorded (default inertial), --exposure SECONDS, --depth.
// Copy from CaptureObject.swift; docs/guide/capture.md describes sessions.
import Foundation
import Vitrine
import VitrineCapture
import VitrineSamples
import VitrineSimulation
import VitrineVision

/// The value of an option; nil if it is missing.
func option(_ name: String) -> String? {
    CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
}

func fail(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(message)\n".utf8))
    exit(1)
}

/// A person's walk around the table, once at each height.
func walk(passes: Int, around center: Vector3d) -> OrbitPath {
    let elevations = [25.0, 55, 8]
    // At rest, a little motion for the tracker, a look at the object, then the passes; the last one goes on a little.
    var keys = [
        OrbitPath.Key(time: 0, azimuth: 0, elevation: 25, radius: 0.6), OrbitPath.Key(time: 1, azimuth: 0, elevation: 25, radius: 0.6),
    ]
    keys += [
        OrbitPath.Key(time: 3, azimuth: 25, elevation: 32, radius: 0.5), OrbitPath.Key(time: 5, azimuth: -10, elevation: 20, radius: 0.45),
        OrbitPath.Key(time: 7, azimuth: 0, elevation: 25, radius: 0.42),
    ]
    var (time, azimuth) = (7.0, 0.0)
    for pass in 0..<passes {
        let elevation = elevations[pass % elevations.count]
        if pass > 0 {
            time += 2
            keys.append(.init(time: time, azimuth: azimuth, elevation: elevation, radius: 0.42))
        }
        (time, azimuth) = (time + 28, azimuth + 400)
        keys.append(.init(time: time, azimuth: azimuth, elevation: elevation, radius: 0.42))
    }
    return OrbitPath(target: center, keys: keys)
}

/// The owl, 16 cm high, on a wooden table.
func simulation(passes: Int, width: Int) throws -> (room: SimulatedRoom, path: OrbitPath, rig: SensorRig) {
    let table = SimulatedTable()
    let path = walk(passes: passes, around: Vector3d(table.center) + Vector3d(0, 0.08, 0))
    var rig = SimulatedDevice.phone.rig
    rig.camera = rig.camera.resized(width: width, height: width * 3 / 4)
    let room = SimulatedRoom(.study, around: path.cameraPoses(rate: 5).map(\.pose.translation), table: table)
    if let owl = try SampleOwl.scene().rootNode.childNodes.first { room.add(owl, at: table.center) }
    return (room, path, rig)
}

guard let output = option("-o") else { fail("-o FOLDER is missing") }
let folder = URL(fileURLWithPath: output)
let passes = option("--passes").flatMap(Int.init) ?? 1
do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let recording = CommandLine.arguments.dropFirst().first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    let source: any SensorSource
    if let recording {
        source = try SensorSourceFile.open(URL(fileURLWithPath: recording))
    } else {
        let (room, path, rig) = try simulation(passes: passes, width: option("--width").flatMap(Int.init) ?? 640)
        var settings = SimulationSettings()
        settings.exposure = option("--exposure").flatMap(Double.init) ?? 0.008
        if CommandLine.arguments.contains("--depth") { settings.depthSize = SIMD2(48, 36) }
        let poses = path.cameraPoses().map { TimedPose(time: $0.time, pose: $0.pose * rig.cameraFromBody) }
        source = try SimulatedSource(in: room, along: TrajectorySpline(through: poses), rig: rig, settings: settings)
    }
    let tracking: TrackingMethod = option("--tracking") == "recorded" ? .recorded : .automatic
    let session = ObjectCaptureSession(source: source, pace: .stepped, tracking: tracking)
    let state = try await capture(session, into: folder, passes: passes)
    print("\(state): \(session.numberOfShotsTaken) shots in \(folder.path)")
    if let box = session.boundingBox { print("box: \(box.bounds.size)") }
} catch {
    fail("\(error)")
}
