// A logo that tilts under a finger and springs back, in three steps: flat, in depth, a model. P, or a tap on the word below, switches the projection.
//
//     make run EXAMPLE=Logo                                                    in a window
//     make run EXAMPLE=Logo ARGS="--script events.json --frames 90 -o FOLDER"  without a window: input events from a file, as frames
//     make run EXAMPLE=Logo ARGS="--scale 3 …"                                 three pixels per point
//
// Copy Logo.swift. docs/guide/gestures.md has the format of scripts.
import Foundation
import Vitrine

/// Returns the value of an option; nil if it is missing.
func option(_ name: String) -> String? {
    CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
}

func fail(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(message)\n".utf8))
    exit(message.hasPrefix("usage") ? 2 : 1)
}

let usage = "usage: Logo [--scale PIXELS] [[--script EVENTS.json] --frames COUNT -o FOLDER]"
let (count, scale) = (Int(option("--frames") ?? "1") ?? 0, Float(option("--scale") ?? "1") ?? 0)
guard count > 0, (0.25...4).contains(scale), CommandLine.arguments.count % 2 == 1 else { fail(usage) }

do {
    var options = Window.Options()
    (options.width, options.height) = (Int(LogoBoard.size.x), Int(LogoBoard.size.y))
    options.isResizable = false
    let window = Window("Logo", showing: try makeView(), options: options)
    if let folder = option("-o") {
        let script = try option("--script").map { try EventScript(contentsOf: URL(fileURLWithPath: $0)) } ?? EventScript([])
        try await window.playHeadless(script, frames: count, scale: scale, writingTo: URL(fileURLWithPath: folder))
    } else {
        try await window.run()
    }
} catch {
    fail("\(error)")
}
