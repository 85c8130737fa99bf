import VitrineFiles

@testable import VitrineTestFiles

/// Packages of USD: the bytes of an archive; or, after another first byte than P, the first layer, a zero byte and the content of the second file,
/// around which the fuzzer writes a correct archive.
let usdzTarget = FuzzTarget(
    seeds: {
        let layer =
            "#usda 1.0\n(subLayers = [@b.usda@])\ndef Mesh \"M\" { point3f[] points = [(0,0,0),(1,0,0),(0,1,0)] int[] faceVertexCounts = [3] "
            + "int[] faceVertexIndices = [0,1,2] asset a = @b.png@ }\n"
        let other = "#usda 1.0\ndef Sphere \"S\" { double radius = 2 }\n"
        let image = try TinyFiles.all().map(\.bytes).first { ImageFile.kind(of: $0) == .png } ?? []
        let textured =
            "#usda 1.0\ndef Sphere \"S\" { rel material:binding = </L> }\ndef Material \"L\" { token outputs:surface.connect = </L/P.outputs:surface> "
            + "def Shader \"P\" { uniform token info:id = \"UsdPreviewSurface\" color3f inputs:diffuseColor.connect = </L/T.outputs:rgb> } "
            + "def Shader \"T\" { uniform token info:id = \"UsdUVTexture\" asset inputs:file = @b.png@ } }\n"
        return [
            Array((" " + layer + "\0" + other).utf8), Array((" " + textured + "\0").utf8) + image,
            package([("a.usda", Array(layer.utf8)), ("b.usda", Array(other.utf8))]),
            package([("a.usda", Array(textured.utf8)), ("b.png", image)]),
        ]
    },
    run: { input in
        guard let first = input.first else { return }
        var bytes = input
        if first != UInt8(ascii: "P") {
            let parts = input.dropFirst().split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            let second = parts.count > 1 ? Array(parts[1]) : []
            let isText = second.first == UInt8(ascii: "#")
            bytes = package([("a.usda", Array(parts[0])), (isText ? "b.usda" : "b.png", second)])
        }
        let none = { (path: String) throws(FileError) -> [UInt8] in throw FileError(path: path, reason: "none") }
        guard let loaded = try? SceneFile.read(bytes, name: "fuzz.usdz", files: none) else { return }
        precondition(loaded.warnings.count < 5000)
        use(loaded.scene)
    })

/// An archive of stored files. The reader does not check their sums.
private func package(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    func words(_ values: [Int], _ size: Int) -> [UInt8] {
        values.flatMap { value in (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
    var (archive, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in files {
        let sizes = words([0, bytes.count, bytes.count], 4) + words([name.utf8.count, 0], 2)
        directory +=
            Array("PK\u{1}\u{2}".utf8) + words([20, 20, 0, 0, 0, 0], 2) + sizes + words([0, 0, 0], 2) + words([0, archive.count], 4)
        directory += Array(name.utf8)
        archive += Array("PK\u{3}\u{4}".utf8) + words([20, 0, 0, 0, 0], 2) + sizes + Array(name.utf8) + bytes
    }
    let end = words([0, 0, files.count, files.count], 2) + words([directory.count, archive.count], 4) + words([0], 2)
    return archive + directory + Array("PK\u{5}\u{6}".utf8) + end
}
