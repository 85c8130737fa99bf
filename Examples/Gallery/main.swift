// One program for each image of the gallery, a file each, to copy from:
//
//     make run EXAMPLE=Gallery                                       lists the images
//     make run EXAMPLE=Gallery ARGS="watch"                          in a window
//     make run EXAMPLE=Gallery ARGS="watch -o watch.png"             as an image of 960 × 720 pixels
//     make run EXAMPLE=Gallery ARGS="glass -o glass.png --path 64"   path traced with 64 samples per pixel, without most of the noise
import Foundation
import Vitrine

let scenes: KeyValuePairs<String, @MainActor () throws -> SceneView> = [
    "watch": makeWatch, "glass": makeGlass, "bubbles": makeBubbles, "velvet": makeVelvet, "pearls": makePearls, "sign": makeSign,
    "area-lights": makeAreaLights, "colonnade": makeColonnade, "crowd": makeCrowd, "marble": makeMarble,
]
let layers: KeyValuePairs<String, @MainActor () throws -> Layer> = ["poster": makePoster, "galaxy": makeGalaxy]

func fail(_ message: String, code: Int32 = 1) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(message)\n".utf8))
    exit(code)
}

var arguments = Array(CommandLine.arguments.dropFirst())
@MainActor func takeOption(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(index...index + 1) }
    return arguments[index + 1]
}
let output = takeOption("-o").map { URL(fileURLWithPath: $0) }
let pathSamples = takeOption("--path")
let sides = (takeOption("--size") ?? "960x720").split(separator: "x").compactMap { Int($0) }
let names = (scenes.map(\.key) + layers.map(\.key)).joined(separator: " ")
guard let name = arguments.first else {
    print("images: \(names)")
    exit(0)
}
guard arguments.count == 1, sides.count == 2, pathSamples.map({ Int($0) != nil }) ?? true else {
    fail("usage: Gallery NAME [-o IMAGE.png] [--size WIDTHxHEIGHT] [--path SAMPLES]", code: 2)
}

do {
    if let make = scenes.first(where: { $0.key == name })?.value {
        let view = try make()
        if let output {
            let samples = pathSamples.flatMap { Int($0) }
            try view.snapshot(
                width: sides[0], height: sides[1], samples: samples ?? 16, quality: samples == nil ? .realTime : .denoisedPath
            ).write(
                to: output)
        } else {
            try await Window(name, showing: view).run()
        }
    } else if let make = layers.first(where: { $0.key == name })?.value {
        let root = try make()
        if let output {
            let scale = Float(sides[0]) / 480
            try LayerRenderer().image(of: root, size: [480, Float(sides[1]) / scale], scale: scale).write(to: output)
        } else {
            let view = LayerView()
            view.root.add(root)
            try await Window(name, showing: view).run()
        }
    } else {
        fail("there is no image '\(name)': choose one of \(names)", code: 2)
    }
} catch {
    fail("\(error)")
}
