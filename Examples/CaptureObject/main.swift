// Takes the photos of an object for a reconstruction.
//
//     make run EXAMPLE=CaptureObject ARGS="-o FOLDER"             the sample owl on a table in a simulated room
//     make run EXAMPLE=CaptureObject ARGS="RECORDING -o FOLDER"   a recording or a video
//
// Options: --passes N (default 1), --tracking inertial|recorded (default inertial); of simulated captures: --model FILE, --side METRES,
// --width PIXELS (default 640), --walk rings|restless, --ignore-feedback (the person walks on regardless of the session), --exposure SECONDS,
// --light STOPS, --covered FROM..TO (seconds without a view), --depth, --truth FOLDER writes true cameras and surface, and the session beside them.
// Without a session: --even N takes N photos, evenly, sharp without --exposure; --film FPS writes all images of the walk, for a video:
// ffmpeg -framerate FPS -i FOLDER/frame-%d.png -pix_fmt yuv420p walk.mp4
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

/// The number after an option; nil if the option is missing. Ends the program if it is not a number within the range.
func number(_ name: String, in range: ClosedRange<Double> = -1e6...1e6) -> Double? {
    guard let text = option(name) else { return nil }
    guard let value = Double(text), range.contains(value) else {
        fail("\(name) \(text): must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
}

/// The object to capture: the sample owl, or a model file.
@MainActor func model() async throws -> sending Scene {
    guard let file = option("--model") else { return try SampleOwl.scene() }
    return try await SceneFile.load(URL(fileURLWithPath: file)).scene
}

/// The options of a simulated capture.
func simulation(passes: Int) -> SimulatedCapture {
    var capture = SimulatedCapture()
    capture.rings = min(max(passes, 1), 3)
    capture.side = number("--side").map { Float($0) }
    capture.followsFeedback = !CommandLine.arguments.contains("--ignore-feedback")
    capture.walk = option("--walk").flatMap(SimulatedCapture.Walk.init) ?? .rings
    capture.width = number("--width", in: 64...4096).map { Int($0) } ?? 640
    capture.settings.exposure = number("--exposure") ?? 0.008
    capture.settings.exposureDrift = number("--light") ?? 0
    if CommandLine.arguments.contains("--depth") { capture.settings.depthSize = SIMD2(48, 36) }
    let covered = option("--covered")?.split(separator: ".", omittingEmptySubsequences: true).compactMap { Double($0) } ?? []
    if covered.count == 2 { capture.settings.covered = [covered[0]..<covered[1]] }
    return capture
}

/// Writes the images of a source between two times.
@MainActor func writeImages(of source: SimulatedSource, in times: Range<Double>, to folder: URL, named prefix: String) async throws -> [(
    name: String, time: Double
)] {
    var photos: [(name: String, time: Double)] = []
    while let event = try await source.next() {
        guard case .image(let sample) = event, times.contains(sample.time) else { continue }
        let name = "\(prefix)-\(photos.count + 1).png"
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
    let (even, film) = (number("--even", in: 3...1000).map { Int($0) }, number("--film", in: 1...120))
    var simulated = simulation(passes: even == nil ? passes : 1)
    if let even {
        // At even angles from a steady camera, as a careful photographer would choose them. A turn takes 19.46 s.
        (simulated.settings.exposure, simulated.settings.frameRate) = (number("--exposure") ?? 0, Double(even) / 19.46)
        (simulated.tremor, simulated.hasInertialUnit) = (0, false)
        simulated.followsFeedback = false
    } else if let film {
        simulated.followsFeedback = false
        simulated.settings.frameRate = film
    }
    guard let stage = try simulated.stage(try await model()) else { fail("the model has no extent") }
    let truth = Truth(source: stage.source, object: stage.object)
    let truthFolder = option("--truth").map { URL(fileURLWithPath: $0) }
    guard let object = simulated.placed(try await model())?.node else { return }
    if even != nil || film != nil {
        // The first ring, or all.
        let (times, name): (Range<Double>, String) = even == nil ? (0..<Double.infinity, "frame") : (8..<27.45, "photo")
        let photos = try await writeImages(of: stage.source, in: times, to: folder, named: name)
        if let truthFolder { try truth.write(object, to: truthFolder, photos: photos) }
        return print("\(photos.count) photos in \(folder.path)")
    }
    let session = ObjectCaptureSession(source: stage.source, pace: .stepped, tracking: tracking)
    let log = try truthFolder.map { try SessionLog(truth: truth, folder: $0) }
    let state = try await capture(session, into: folder, passes: passes) {
        log?.add(session)
        stage.person?.follow(session)
    }
    print("\(state): \(session.numberOfShotsTaken) shots in \(folder.path)")
    guard let truthFolder else { return }
    try truth.write(object, to: truthFolder, photos: session.shots.map { ($0.url.lastPathComponent, $0.timestamp) })
    print(truth.report(session, state: "\(state)"))
}

do { try await run() } catch { fail("\(error)") }
