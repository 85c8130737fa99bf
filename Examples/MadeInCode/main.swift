// Every shape that needs no file, with a grid on it that shows how the texture lies, and a word in bevelled gold:
//
//     make run EXAMPLE=MadeInCode                    in a window
//     make run EXAMPLE=MadeInCode ARGS="shapes.png"  as an image
//     make run EXAMPLE=MadeInCode ARGS="shapes.glb"  as a model
import Foundation
import Vitrine

/// A grid of 8 × 8 fields: red grows to the right, green downwards, a white corner at the upper left.
func grid(size: Int = 512) throws -> Image {
    var bytes: [UInt8] = []
    for row in 0..<size {
        for column in 0..<size {
            let (u, v) = (8 * column / size, 8 * row / size)
            let isBright = (u + v) % 2 == 0
            let isCorner = u == 0 && v == 0
            let low: UInt8 = isBright ? 60 : 20
            bytes += isCorner ? [255, 255, 255, 255] : [low + UInt8(24 * u), low + UInt8(24 * v), isBright ? 190 : 110, 255]
        }
    }
    return try Image(width: size, height: size, format: .rgba8, bytes: bytes, name: "grid")
}

func makeScene() throws -> Scene {
    let scene = Scene()
    let checker = Material(name: "Grid", baseColor: .white, roughness: 0.35)
    checker.baseColor.map = TextureMap(Texture(try grid()))
    let ring = try Path(svg: "M0 50 A50 50 0 1 1 100 50 A50 50 0 1 1 0 50 Z M25 50 A25 25 0 1 0 75 50 A25 25 0 1 0 25 50 Z")
    let shapes: [Geometry] = [
        .plane(width: 0.8, height: 0.8, cornerRadius: 0.15), .box(size: [0.7, 0.7, 0.7]), .box(size: [0.7, 0.7, 0.7], chamferRadius: 0.12),
        .sphere(radius: 0.42), .geodesicSphere(radius: 0.42), .pyramid(size: [0.8, 0.8, 0.8]), .cone(bottomRadius: 0.42, height: 0.8),
        .cone(topRadius: 0.22, bottomRadius: 0.42, height: 0.8), .cylinder(radius: 0.38, height: 0.8), .capsule(radius: 0.25, height: 0.9),
        .tube(innerRadius: 0.2, outerRadius: 0.4, height: 0.7), .torus(ringRadius: 0.3, pipeRadius: 0.14),
        .disc(radius: 0.42, innerRadius: 0.12),
        try .extruded(.star(radius: 0.45, innerRadius: 0.22), depth: 0.25, bevel: Bevel(radius: 0.05, segments: 1)),
        try .extruded(ring.fitted(height: 0.8), depth: 0.3, bevel: Bevel(radius: 0.06)),
    ]
    for (number, shape) in shapes.enumerated() {
        let node = Node(name: "Shape \(number)", mesh: Mesh(geometry: shape, material: checker))
        node.position = Vector3(Float(number % 5) - 2, 1.1 - 1.05 * Float(number / 5), 0) * 1.05
        node.eulerAngles = Vector3(0.5, -0.6, 0)
        // A pyramid stands on its origin.
        if number == 5 { node.pivot = Matrix4(translation: [0, 0.35, 0]) }
        scene.rootNode.addChildNode(node)
    }

    let gold = Material(name: "Gold", baseColor: Color(linear: [1, 0.71, 0.29, 1]), metalness: 1, roughness: 0.12)
    let dark = Material(name: "Dark", baseColor: Color(linear: [0.9, 0.5, 0.2, 1]), metalness: 1, roughness: 0.3)
    let style = TextStyle(size: 0.95)
    let word = try Shape.text("Vitrine", font: .system(named: "DejaVuSans-Bold"), style: style, depth: 0.22, bevel: Bevel(radius: 0.035))
    let sign = Node(name: "Vitrine", mesh: Mesh(shape: word) { $0 == .side ? dark : gold })
    sign.position = [0, 2.2, 0]
    sign.eulerAngles = Vector3(0.12, -0.22, 0)
    scene.rootNode.addChildNode(sign)
    scene.environment = .studio()
    scene.environment.rotation = .degrees(150)
    let camera = Node(name: "Camera")
    camera.camera = Camera(projection: .perspective(fieldOfView: .degrees(30)))
    camera.position = [0, 0.72, 9.4]
    scene.rootNode.addChildNode(camera)
    scene.pointOfView = camera
    return scene
}

do {
    let scene = try makeScene()
    let view = SceneView(scene)
    let file = CommandLine.arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
    if let file, ModelFile.format(forExtension: file.pathExtension) != nil {
        for warning in try ModelFile.write(scene, to: file) { print("warning: \(warning)") }
    } else if let file {
        try view.snapshot(width: 640, height: 560).write(to: file)
    } else {
        try await Window("Made in code", showing: view).run()
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(error)\n".utf8))
    exit(1)
}
