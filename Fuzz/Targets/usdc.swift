import Foundation
import VitrineFiles
import VitrineScene

@testable import VitrineTestFiles

/// A USD layer in binary form: tables, packed numbers, meshes, materials.
// swift-format-ignore: OnlyOneTrailingClosureArgument
let usdcTarget = FuzzTarget.mesh(
    seeds: {
        let colour = Texture(try TestImage.noise(width: 2, height: 2, format: .rgba8, opaque: true))
        let material = Material(name: "m")
        material.baseColor.map = TextureMap(colour, set: 1, transform: TextureTransform(rotation: .degrees(30)))
        material.alphaMode = .blend
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: (0..<30).map { Float($0 * $0 % 7) }),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: (0..<20).map { Float($0) / 20 }),
                VertexAttribute(.color(set: 0), componentCount: 3, values: (0..<30).map { Float($0) / 30 }),
            ], indices: (0..<24).map { UInt32($0 * 7 % 10) })
        let scene = Scene(name: "s")
        let node = Node(name: "n", mesh: Mesh(name: "m", geometry: geometry, material: material))
        node.position = [1, 2, 3]
        scene.rootNode.addChildNode(node)
        return [
            try ModelFile.encode(scene, as: .usdc, name: "a.usdc").files[0].bytes,
            try ModelFile.encode(scene, as: .usdz, name: "a.usdz").files[0].bytes,
        ]
    }) { input in
        // Version 0.8, or a package.
        input.starts(with: [0x50, 0x4B]) ? input : Array("PXR-USDC".utf8) + [0, 8] + input.dropFirst(10)
    }
