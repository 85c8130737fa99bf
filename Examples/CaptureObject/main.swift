// Takes the photos of an object for a reconstruction.
//
//     make run EXAMPLE=CaptureObject ARGS="-o FOLDER"             the sample owl on a table in a simulated room
//     make run EXAMPLE=CaptureObject ARGS="RECORDING -o FOLDER"   a recording or a video
//
// Options: --passes N (default 1), --width PIXELS (default 640), --tracking inertial|recorded (default inertial), --exposure SECONDS, --depth;
// of simulated captures: --truth FOLDER writes true cameras and surface, --even N takes N sharp photos of each pass, evenly, without a session.
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
    let degree = Double.pi / 180
    let elevations = [25 * degree, 55 * degree, 8 * degree]
    // At rest, a little motion for the tracker, a look at the object, then the passes; the last one goes on a little.
    var keys = [
        OrbitPath.Key(time: 0, azimuth: 0, elevation: 25 * degree, radius: 0.6),
        OrbitPath.Key(time: 1, azimuth: 0, elevation: 25 * degree, radius: 0.6),
        OrbitPath.Key(time: 3, azimuth: 25 * degree, elevation: 32 * degree, radius: 0.5),
        OrbitPath.Key(time: 5, azimuth: -10 * degree, elevation: 20 * degree, radius: 0.45),
        OrbitPath.Key(time: 7, azimuth: 0, elevation: 25 * degree, radius: 0.42),
    ]
    var (time, azimuth) = (7.0, 0.0)
    for pass in 0..<passes {
        let elevation = elevations[pass % elevations.count]
        if pass > 0 {
            time += 2
            keys.append(.init(time: time, azimuth: azimuth, elevation: elevation, radius: 0.42))
        }
        (time, azimuth) = (time + 28, azimuth + 400 * degree)
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

/// Photos at even angles from a steady camera: what a careful photographer would choose.
@MainActor func takeEvenly(_ source: SimulatedSource, into folder: URL) async throws -> [(
    name: String, time: Double
)] {
    var photos: [(name: String, time: Double)] = []
    while let event = try await source.next() {
        guard case .image(let sample) = event, (sample.time - 7).truncatingRemainder(dividingBy: 30) < 25.2, sample.time >= 7 else {
            continue
        }
        let name = "photo-\(photos.count + 1).png"
        try sample.image.makeImage().write(to: folder.appendingPathComponent(name))
        photos.append((name, sample.time))
    }
    return photos
}

@MainActor func run() async throws {
    guard let output = option("-o") else { fail("-o FOLDER is missing") }
    let folder = URL(fileURLWithPath: output)
    let passes = option("--passes").flatMap(Int.init) ?? 1
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tracking: TrackingMethod = option("--tracking") == "recorded" ? .recorded : .automatic
    if let recording = CommandLine.arguments.dropFirst().first, !recording.hasPrefix("-") {
        let source = try SensorSourceFile.open(URL(fileURLWithPath: recording))
        let session = ObjectCaptureSession(source: source, pace: .stepped, tracking: tracking)
        print(try await capture(session, into: folder, passes: passes), session.numberOfShotsTaken)
        return
    }
    let even = option("--even").flatMap(Int.init)
    var (room, path, rig) = try simulation(passes: passes, width: option("--width").flatMap(Int.init) ?? 640)
    var settings = SimulationSettings()
    settings.exposure = even == nil ? option("--exposure").flatMap(Double.init) ?? 0.008 : 0
    // Each pass turns by 360° in 25.2 s.
    if let even { (settings.frameRate, path.tremor) = (Double(even) / 25.2, 0) }
    if CommandLine.arguments.contains("--depth") { settings.depthSize = SIMD2(48, 36) }
    rig.hasInertialUnit = even == nil
    let top = SimulatedTable().center
    let bounds = try SampleOwl.scene().bounds
    let source = try SimulatedSource(in: room, along: path.cameraPoses(), rig: rig, settings: settings)
    let truth = Truth(source: source, object: BoundingBox(minimum: bounds.minimum + top, maximum: bounds.maximum + top))
    let truthFolder = option("--truth").map { URL(fileURLWithPath: $0) }
    if even != nil {
        let photos = try await takeEvenly(source, into: folder)
        if let truthFolder { try truth.write(to: truthFolder, photos: photos) }
        return print("\(photos.count) photos in \(folder.path)")
    }
    let session = ObjectCaptureSession(source: source, pace: .stepped, tracking: tracking)
    let state = try await capture(session, into: folder, passes: passes)
    print("\(state): \(session.numberOfShotsTaken) shots in \(folder.path)")
    guard let truthFolder else { return }
    try truth.write(to: truthFolder, photos: session.shots.map { ($0.url.lastPathComponent, $0.timestamp) })
    print(truth.report(session, state: "\(state)"))
}

do { try await run() } catch { fail("\(error)") }
