import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

/// Damaged files of every format are scenes or errors, never a crash: a short stand-in for the fuzz targets, a second for all of them.
/// `VITRINE_DAMAGE_SECONDS=60` gives each format as long.
@Suite struct DamagedFilesTests {
    enum Kind: String, CaseIterable {
        case collada, obj, mtl, ply, stl, stlText, off, usda, usdc, glb, draco, meshopt
    }

    private static let seconds = ProcessInfo.processInfo.environment["VITRINE_DAMAGE_SECONDS"].flatMap { Double($0) }
    private static let rounds = 60

    @Test(arguments: Kind.allCases)
    func damageIsASceneOrAnError(_ kind: Kind) throws {
        let sound = try seed(kind)
        #expect(try read(kind, sound) != nil)
        var damage = Damage(seed: UInt64(kind.rawValue.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
        let end = Self.seconds.map { Date().addingTimeInterval($0) }
        var (round, loaded) = (0, 0)
        while end.map({ Date() < $0 }) ?? (round < Self.rounds) {
            round += 1
            if let scene = try? read(kind, damage.damaged(sound)) {
                loaded += 1
                use(scene, writes: round % 8 == 0)
            }
        }
        if Self.seconds != nil { print("damage \(kind): \(round) files, \(loaded) of them read") }
    }

    // MARK: Files

    private func seed(_ kind: Kind) throws -> [UInt8] {
        var options = ModelWriteOptions()
        func encode(_ format: ModelFormat, _ scene: Scene) throws -> EncodedModel {
            try ModelFile.encode(scene, as: format, name: "a.\(format)", options: options)
        }
        switch kind {
        case .collada: return try encode(.collada, try moving()).files[0].bytes
        case .usda: return try encode(.usda, try moving()).files[0].bytes
        case .usdc: return try encode(.usdc, try moving()).files[0].bytes
        case .glb: return try encode(.glb, try moving()).files[0].bytes
        case .obj: return try encode(.obj, WriterScenes.everything()).files[0].bytes
        case .mtl: return try encode(.obj, WriterScenes.everything()).files[1].bytes
        case .ply: return try encode(.ply, WriterScenes.everything()).files[0].bytes
        case .stl: return try encode(.stl, WriterScenes.everything()).files[0].bytes
        case .draco, .meshopt:
            options.compression = kind == .draco ? .draco : .meshopt
            let scene = Scene()
            scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .sphere(radius: 1, segments: 6), material: Material())))
            return try encode(.glb, scene).files[0].bytes
        case .stlText:
            return Array(
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n".utf8)
        case .off: return Array("NOFF\n4 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n4 0 1 2 3 0.5 0.25 1\n".utf8)
        }
    }

    /// A skin, targets, nodes that move, textures, a light that falls off by a polynomial, a camera.
    private func moving() throws -> Scene {
        let scene = try GLBMotionTests().figure()
        scene.rootNode.addChildNode(try WriterScenes.everything().rootNode.childNodes[0])
        let eye = Node(name: "eye")
        eye.camera = Camera(projection: .perspective(fieldOfView: .degrees(40)), near: 0.25, far: 50, aspectRatio: 1.5)
        eye.light = Light(.spot(inner: .degrees(20), outer: .degrees(30)), intensity: 5)
        eye.light?.attenuation = .polynomial(constant: 1, linear: 0.5, quadratic: 0.25)
        scene.rootNode.addChildNode(eye)
        return scene
    }

    /// Supplies damaged images and libraries for a model that refers to them.
    private func read(_ kind: Kind, _ bytes: [UInt8]) throws -> Scene? {
        let text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl plain\nf 1 2 3\n"
        let main = kind == .mtl ? Array(text.utf8) : bytes
        var options = ModelLoadOptions()
        (options.gltf.decodedBytes, options.gltf.decodedBytesPerBufferByte) = (1 << 22, 64)
        let loaded = try SceneFile.read(main, name: "a", options: options) { (path) throws(FileError) in
            guard kind == .mtl, path.hasSuffix(".mtl") else { throw FileError(path: path, reason: "is not there") }
            return bytes
        }
        #expect(loaded.warnings.count < 5000)
        return loaded.scene
    }

    private func use(_ scene: Scene, writes: Bool) {
        for clip in scene.animations { for step in 0...2 { clip.apply(at: clip.duration * Float(step) / 2) } }
        _ = scene.bounds
        scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] {
                #expect(part.geometry.indices?.allSatisfy { Int($0) < part.geometry.vertexCount } ?? true)
            }
        }
        guard writes else { return }
        for format in [ModelFormat.glb, .collada, .usda, .obj, .ply] { _ = try? ModelFile.encode(scene, as: format, name: "b.\(format)") }
    }
}

/// Breaks files, the same in every run.
struct Damage {
    private var state: SplitMix64
    private static let pieces = [
        "nan", "-1", "0", "1e39", "inf", "99999999999999999999", "4294967296", "-2147483648", "<", ">", "/", "\"", "\n", " ", "{", "]",
        "65535",
    ].map { Array($0.utf8) }
    private static let words: [[UInt8]] = [[255, 255, 255, 255], [0, 0, 0, 0], [255, 255, 255, 127], [0, 0, 0, 128], [0, 0, 192, 127]]

    init(seed: UInt64) { state = SplitMix64(seed: seed) }

    private mutating func roll(_ count: Int) -> Int { state.below(max(count, 1)) }

    mutating func damaged(_ sound: [UInt8]) -> [UInt8] {
        var bytes = sound
        for _ in 0..<[1, 1, 2, 4, 8][roll(5)] where !bytes.isEmpty { wound(&bytes) }
        return bytes
    }

    private mutating func wound(_ bytes: inout [UInt8]) {
        let at = roll(bytes.count)
        switch roll(8) {
        case 0: bytes[at] = UInt8(roll(256))
        case 1: bytes[at] ^= 1 << UInt8(roll(8))
        case 2: bytes.removeSubrange(at..<min(at + [1, 4, 16, 200][roll(4)], bytes.count))
        case 3:
            let from = roll(bytes.count)
            bytes.insert(contentsOf: Array(bytes[from..<min(from + [4, 20, 200][roll(3)], bytes.count)]), at: at)
        case 4: bytes.replaceSubrange(at..<min(at + 4, bytes.count), with: Self.words[roll(Self.words.count)])
        case 5: replaceNumber(near: at, in: &bytes)
        case 6: bytes.insert(contentsOf: Self.pieces[roll(Self.pieces.count)], at: at)
        default: if roll(4) == 0 { bytes.removeSubrange(at...) }
        }
    }

    private mutating func replaceNumber(near: Int, in bytes: inout [UInt8]) {
        func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 || byte == 0x2E || byte == 0x2D }
        guard let first = bytes[near...].firstIndex(where: isDigit) else { return }
        let last = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(first..<last, with: Self.pieces[roll(8)])
    }
}
