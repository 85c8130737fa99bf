import VitrineFiles
import VitrineGLTF
import VitrineScene

extension FuzzTarget {
    /// Reads inputs as glTF under small limits and processes the scenes as a renderer does.
    static func model(seeds: @escaping @Sendable () throws -> [[UInt8]], repair: @escaping @Sendable (inout [UInt8]) -> Void) -> FuzzTarget
    {
        FuzzTarget(seeds: seeds) { input in
            var bytes = input
            repair(&bytes)
            var limits = GLTFLimits()
            (limits.decodedBytes, limits.decodedBytesPerBufferByte) = (1 << 22, 4)
            (limits.unbackedElements, limits.nodes, limits.jsonDepth) = (1 << 12, 1 << 10, 64)
            // Replaces every file beside the model.
            let resolve = { (path: String) throws(GLTFError) -> [UInt8] in
                path.utf8.count % 4 == 0 ? try GLTFReader.noFiles(path) : (0..<1024).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            }
            guard let asset = try? GLTFReader.read(bytes, name: "fuzz", limits: limits, resolve: resolve) else { return }
            precondition(asset.warnings.count <= limits.warnings + 1)
            for scene in asset.scenes { use(scene) }
        }
    }
}

extension FuzzTarget {
    /// Reads inputs as OBJ or PLY; the bytes after the first zero byte are the content of every text file beside the model, and one byte of every image.
    static func mesh(seeds: [String], prefix: @escaping @Sendable ([UInt8]) -> [UInt8]) -> FuzzTarget {
        mesh(seeds: { seeds.map { Array($0.utf8) } }, prefix: prefix)
    }

    static func mesh(seeds: @escaping @Sendable () throws -> [[UInt8]], prefix: @escaping @Sendable ([UInt8]) -> [UInt8]) -> FuzzTarget {
        FuzzTarget(seeds: seeds) { input in
            let bytes = prefix(input)
            let library = bytes.first == UInt8(ascii: "p") ? [] : Array(bytes.split(separator: 0, maxSplits: 1).last ?? [])
            let files = { (path: String) throws(FileError) -> [UInt8] in path == "a" ? library : [0] }
            guard let loaded = try? SceneFile.read(bytes, name: "fuzz", files: files) else { return }
            precondition(loaded.warnings.count < 5000)
            use(loaded.scene)
        }
    }
}

extension FuzzTarget {
    /// Reads inputs up to the first zero byte (packages: whole) as XML documents; the rest is the file "a" beside the model, and one byte
    /// every other.
    static func document(seeds: @escaping @Sendable () throws -> [[UInt8]]) -> FuzzTarget {
        FuzzTarget(seeds: seeds) { input in
            let parts =
                input.starts(with: [0x50, 0x4B]) ? [input[...]] : input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            let other = parts.count > 1 ? Array(parts[1]) : []
            let files = { (path: String) throws(FileError) -> [UInt8] in path == "a" ? other : [0] }
            guard let loaded = try? SceneFile.read(Array(parts[0]), name: "fuzz", files: files) else { return }
            precondition(loaded.warnings.count < 5000)
            use(loaded.scene)
        }
    }
}

/// Touches everything that a file's numbers reach.
func use(_ scene: Scene) {
    _ = scene.bounds
    for clip in scene.animations { for step in 0...4 { clip.apply(at: clip.duration * Float(step) / 4) } }
    scene.update()
    scene.rootNode.forSubtree { node in
        let joints = node.skin?.jointMatrices().count ?? Int.max
        for part in node.mesh?.parts ?? [] {
            check(part.geometry, joints: joints)
            precondition(part.material.textures.count <= 10)
        }
        if let camera = node.camera { _ = camera.clipFromView(aspectRatio: 1.5) }
        if let light = node.light { _ = light.linearIntensity }
    }
}

private func check(_ geometry: Geometry, joints: Int) {
    precondition(geometry.indices?.allSatisfy { Int($0) < geometry.vertexCount } ?? true)
    precondition(geometry.triangleCount >= 0)
    for attribute in geometry.attributes {
        precondition(attribute.values.count == geometry.vertexCount * attribute.componentCount)
        precondition(attribute.values.allSatisfy { $0.isFinite })
        if case .joints = attribute.semantic { precondition(attribute.values.allSatisfy { Int($0) < joints }) }
    }
}
