// Places a cube in the camera image by a tap.
//
//     make run EXAMPLE=TapToPlace                   a simulated room in a window: click somewhere
//     make run EXAMPLE=TapToPlace ARGS="RECORDING"  a recording (EuRoC, TUM, Stray Scanner, Vitrine …)
//     make run EXAMPLE=TapToPlace ARGS="[RECORDING] --script taps.json --frames 60 -o FOLDER"  without a window: input events from a file, frames as images
//
// Copy from TapToPlace.swift. docs/guide/track-a-camera.md describes sessions, docs/guide/gestures.md the format of scripts.
import Foundation
import Vitrine
import VitrineAR
import VitrineARView
import VitrineSimulation

/// The value of an option; nil if it is missing.
func option(_ name: String) -> String? {
    CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
}

func fail(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(message)\n".utf8))
    exit(message.hasPrefix("usage") ? 2 : 1)
}

/// A phone that circles an object in a simulated, furnished room.
func simulatedRoom() throws -> any SensorSource {
    var rig = SimulatedDevice.phone.rig
    rig.camera = CameraIntrinsics(width: 640, height: 360, verticalFieldOfView: 0.8)
    return try SimulatedSource(.study, along: SimulatedPath.around.cameraPoses(duration: 20, rest: 1), rig: rig)
}

let usage = "usage: TapToPlace [RECORDING] [[--script EVENTS.json] --frames COUNT -o FOLDER]"
var operands = Array(CommandLine.arguments.dropFirst())
for name in ["--script", "--frames", "-o"] {
    if let index = operands.firstIndex(of: name) { operands.removeSubrange(index...min(index + 1, operands.count - 1)) }
}
let count = Int(option("--frames") ?? "1") ?? 0
guard operands.count <= 1, !(operands.first ?? "").hasPrefix("-"), count > 0 else { fail(usage) }

do {
    let source = try operands.first.map { try SensorSourceFile.open(URL(fileURLWithPath: $0)) } ?? simulatedRoom()
    let session = ARSession(source: source, pace: option("-o") == nil ? .realTime : .stepped)
    let view = makeView(session)
    let configuration = ARWorldTrackingConfiguration(
        planeDetection: [.horizontal, .vertical], tracking: operands.isEmpty ? .recorded : .automatic)
    session.run(configuration)
    let size = (width: source.rig.camera.width, height: source.rig.camera.height)
    if let folder = option("-o") {
        let script = try option("--script").map { try EventScript(contentsOf: URL(fileURLWithPath: $0)) } ?? EventScript([])
        let drawn = try await view.playHeadless(
            script, frames: count, size: Vector2(Float(size.width), Float(size.height)), writingTo: URL(fileURLWithPath: folder))
        print("\(drawn) frames in \(folder)")
    } else {
        var options = Window.Options()
        (options.width, options.height) = size
        try await Window("Tap to place", showing: view, options: options).run()
    }
} catch {
    fail("\(error)")
}
