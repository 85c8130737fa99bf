import Foundation
import Testing
import VitrineFiles
import VitrineTestSupport

@Suite(.enabled(if: SharedData.has("gltf"), SharedData.missing)) struct InspectionTests {
    @Test func model() async throws {
        let inspection = try await FileInspection(contentsOf: SharedData.url("gltf/DamagedHelmet/glTF/DamagedHelmet.gltf"))
        #expect(inspection.format == "gltf")
        let model = try #require(inspection.model)
        #expect(model.counts.vertices == 14556 && model.counts.triangles == 15452 && model.counts.parts == 1)
        #expect(model.textures.count == 5)
        #expect(model.textures.allSatisfy { $0.mimeType == "image/jpeg" && $0.width == $0.height && $0.width > 0 })
        #expect(model.materials.first?.slots.map(\.name) == ["baseColor", "metalness", "roughness", "normal", "occlusion", "emission"])
        // Position, normal, texture coordinates, indices.
        #expect(model.memory.geometry == 14556 * 4 * 8 + 15452 * 3 * 4)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let decoded = try decoder.decode(FileInspection.self, from: Data(inspection.json().utf8))
        #expect(decoded == inspection)
        for word in ["14556 vertices", "15452 triangles", "1.89", "baseColor"] { #expect(inspection.text.contains(word), "\(word)") }
    }

    @Test func imageFile() async throws {
        let files = SharedData.files(under: "environments", extensions: ["hdr"])
        let file = try #require(files.first)
        let image = try #require(try await FileInspection(contentsOf: file).image)
        #expect(image.isHighDynamicRange && image.bitsPerChannel == 32)
        #expect(image.decodedBytes == image.width * image.height * 16)
    }

    @Test func printsEveryModelForReading() async throws {
        for file in SharedData.files(under: "gltf", extensions: ["gltf", "glb"]) where !file.path.contains("/validator/") {
            guard let inspection = try? await FileInspection(contentsOf: file) else { continue }
            #expect(inspection.text.hasPrefix(file.path))
            if let path = ProcessInfo.processInfo.environment["VITRINE_INSPECT"] {
                let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
                try (old + inspection.text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
            }
        }
    }
}
