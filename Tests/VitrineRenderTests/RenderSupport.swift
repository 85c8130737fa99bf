import Testing
import VitrineGPU
import VitrineMath
import VitrineScene

@testable import VitrineRender

/// A renderer for tests. Each test makes its own: devices belong to one thread.
struct Studio {
    let renderer: Renderer

    init() throws { renderer = try Renderer(device: .make(optional: [.timestampQuery])) }

    /// An image as displayed.
    func image(
        of scene: Scene, from view: View, width: Int = 128, height: Int = 96, options: RenderOptions = RenderOptions()
    ) throws -> Image {
        let target = try OffscreenTarget(renderer.device, width: width, height: height)
        try renderer.render(scene, from: view, to: target.view, options: options)
        return try target.image()
    }

    /// Linear radiance, four floats per pixel.
    func radiance(
        of scene: Scene, from view: View, width: Int = 32, height: Int = 32, options: RenderOptions = RenderOptions(sampleCount: 1)
    ) throws -> [Vector4] {
        let target = try OffscreenTarget(renderer.device, width: width, height: height, content: .radiance)
        try renderer.render(scene, from: view, to: target.view, options: options)
        return try target.image().bytes.withUnsafeBytes { raw in
            (0..<width * height).map { raw.loadUnaligned(fromByteOffset: 16 * $0, as: Vector4.self) }
        }
    }
}

/// An environment of one radiance everywhere.
func uniformEnvironment(_ radiance: Float, background: Background = .transparent) throws -> Environment {
    let values: [Float] = (0..<128 * 64).flatMap { _ -> [Float] in [radiance, radiance, radiance, 1] }
    return Environment(image: try panorama(values, width: 128, height: 64), background: background)
}

/// A panorama of linear radiance, four floats per pixel.
func panorama(_ values: [Float], width: Int, height: Int) throws -> Image {
    let bytes = values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
    return try Image(width: width, height: height, format: .rgba32Float, bytes: bytes, name: "panorama")
}

/// A sphere of radius 1 around the origin with normals, tangents and texture coordinates.
func sphere(rings: Int = 24, segments: Int = 48) throws -> Geometry {
    var positions: [Float] = []
    var tangents: [Float] = []
    var coordinates: [Float] = []
    var indices: [UInt32] = []
    for ring in 0...rings {
        let theta = Float(ring) / Float(rings) * .pi
        for segment in 0...segments {
            let phi = Float(segment) / Float(segments) * 2 * .pi
            positions += [sin(theta) * sin(phi), cos(theta), sin(theta) * cos(phi)]
            tangents += [cos(phi), 0, -sin(phi), 1]
            coordinates += [Float(segment) / Float(segments), Float(ring) / Float(rings)]
        }
    }
    let row = UInt32(segments + 1)
    for ring in 0..<UInt32(rings) {
        for segment in 0..<UInt32(segments) {
            let a = ring * row + segment
            indices += [a, a + row, a + row + 1, a, a + row + 1, a + 1]
        }
    }
    return try Geometry(
        attributes: [
            VertexAttribute(.position, componentCount: 3, values: positions),
            VertexAttribute(.normal, componentCount: 3, values: positions),
            VertexAttribute(.tangent, componentCount: 4, values: tangents),
            VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates),
        ], indices: indices)
}

/// A square from −1 to 1 in x and y, facing +Z, texture coordinates from its upper left corner.
func square(tangents: Bool = true) throws -> Geometry {
    var attributes = [
        VertexAttribute(.position, componentCount: 3, values: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
        VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
        VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: [0, 1, 1, 1, 1, 0, 0, 0]),
    ]
    if tangents {
        attributes.append(VertexAttribute(.tangent, componentCount: 4, values: [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1]))
    }
    return try Geometry(attributes: attributes, indices: [0, 1, 2, 0, 2, 3])
}

/// A scene with one mesh and no light.
func scene(_ geometry: Geometry, _ material: Material) -> Scene {
    let scene = Scene()
    scene.rootNode.addChildNode(Node(name: "object", mesh: Mesh(geometry: geometry, material: material)))
    scene.environment.background = .transparent
    return scene
}

/// Looks at the origin from +Z so that the square −1…1 fills the image.
let straightOn = View(
    camera: Camera(projection: .orthographic(scale: 1), near: 0.1, far: 10), worldFromCamera: Matrix4(translation: Vector3(0, 0, 5)))

extension Studio {
    /// The mean of several frames, linear.
    func still(of scene: Scene, from view: View, width: Int, height: Int, samples: Int) throws -> [Vector4] {
        let target = try OffscreenTarget(renderer.device, width: width, height: height, content: .radiance)
        try renderer.renderStill(scene, from: view, to: target, samples: samples)
        return try target.image().bytes.withUnsafeBytes { raw in
            (0..<width * height).map { raw.loadUnaligned(fromByteOffset: 16 * $0, as: Vector4.self) }
        }
    }

    func statistics(of scene: Scene, from view: View) throws -> FrameStatistics {
        let target = try OffscreenTarget(renderer.device, width: 32, height: 32)
        return try renderer.render(scene, from: view, to: target.view)
    }
}
