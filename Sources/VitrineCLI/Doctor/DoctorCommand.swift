import CProcessor
import Vitrine
import VitrineGPU
import VitrineReconstruct
import VitrineVideo

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "Checks the machine: GPU, libraries, processor, memory; prints how to install missing parts.",
        help: { DoctorSettings.table.help(command: "doctor", summary: DoctorSettings.summary) },
        run: { arguments in
            var settings = DoctorSettings()
            _ = try DoctorSettings.table.parse(arguments, into: &settings)
            let findings = Finding.all()
            print(settings.isJSON ? try JSONReport.text(findings) : findings.map(\.line).joined(separator: "\n"))
            let missing = findings.filter { $0.state == .missing }
            guard missing.isEmpty else { throw DoctorError(missing: missing.map(\.subject)) }
        }, relatedWords: ["check", "diagnose"])
}

struct DoctorSettings {
    var isJSON = false

    static let summary =
        "Checks Swift, the GPU and its driver, wgpu, SDL, the codecs and the processor. Exits with 1 if a requirement is missing."
    static let table = ArgumentTable<DoctorSettings>(
        operands: [],
        options: [CommandOption("--json", help: "Prints the findings as JSON.") { $0.isJSON = true }])
}

struct DoctorError: LocalizedError {
    let missing: [String]
    var errorDescription: String? { "missing: " + missing.joined(separator: ", ") }
}

/// The result of one check.
struct Finding: Codable {
    enum State: String, Codable {
        case ok
        /// Works, with restrictions.
        case warning
        case missing
    }

    let subject: String
    let state: State
    /// The result.
    let detail: String
    /// The command that fixes the problem.
    let remedy: String?

    var line: String {
        let mark =
            switch state {
            case .ok: "ok     "
            case .warning: "warning"
            case .missing: "missing"
            }
        return "\(mark)  \(subject.padded(to: 13))  \(detail)"
            + (remedy.map { "\n                        fix: \($0)" } ?? "")
    }
}

extension Finding {
    static func all() -> [Finding] {
        [swift] + adapters + libraries + [display, processor, build, memory]
    }

    private static var swift: Finding {
        guard let text = firstLine(of: "swift", "--version") else {
            return Finding(
                subject: "Swift", state: .warning, detail: "not on the PATH: required to build, not to run",
                remedy: "https://www.swift.org/install")
        }
        return Finding(subject: "Swift", state: .ok, detail: text, remedy: nil)
    }

    private static var adapters: [Finding] {
        let found = GPUAdapter.all()
        let driver = "sudo apt-get install -y mesa-vulkan-drivers"
        guard !found.isEmpty else { return [Finding(subject: "GPU", state: .missing, detail: "no adapter found", remedy: driver)] }
        let choice = GPUAdapterChoice(parsing: ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "")
        var findings = found.map { Finding(subject: "GPU", state: .ok, detail: $0.info.description, remedy: nil) }
        do {
            let chosen = try GPUInstance().adapter(choice)
            let drawsScenes = !chosen.info.backend.isOpenGL
            findings.append(
                Finding(
                    subject: "GPU in use", state: drawsScenes ? .ok : .warning,
                    detail: chosen.info.description + (drawsScenes ? "" : ": draws no scenes"), remedy: drawsScenes ? nil : driver))
        } catch {
            let remedy = choice == .automatic ? driver : "unset VITRINE_ADAPTER"
            findings.append(Finding(subject: "GPU in use", state: .missing, detail: describe(error), remedy: remedy))
        }
        return findings
    }

    private static var libraries: [Finding] {
        let others = [("wgpu-native", GPUInstance.libraryVersion), ("SDL", Window.libraryVersion), ("HarfBuzz", Font.libraryVersion)]
        let all = others + ImageFile.libraryVersions.map { ($0.name, $0.version) } + ModelFile.libraryVersions.map { ($0.name, $0.version) }
        return all.map { Finding(subject: $0.0, state: .ok, detail: $0.1, remedy: nil) }
    }

    private static var display: Finding {
        let environment = ProcessInfo.processInfo.environment
        if let wayland = environment["WAYLAND_DISPLAY"] {
            return Finding(subject: "display", state: .ok, detail: "Wayland \(wayland)", remedy: nil)
        }
        if let x11 = environment["DISPLAY"] { return Finding(subject: "display", state: .ok, detail: "X11 \(x11)", remedy: nil) }
        return Finding(
            subject: "display", state: .warning, detail: "none: rendering works, windows do not",
            remedy: "sudo apt-get install -y xvfb && xvfb-run vitrine show MODEL")
    }

    private static var processor: Finding {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        func field(_ name: String) -> String? {
            let line = info.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(separator: ":", maxSplits: 1).last.map { $0.trimmed }
        }
        let flags = Set((field("flags") ?? field("Features") ?? "").split(separator: " ").map(String.init))
        let wanted = ["avx2", "fma", "avx512f", "asimd"].filter { flags.contains($0) }
        let name = field("model name") ?? "unknown processor"
        let cores = vitrine_processor_count()
        return Finding(
            subject: "processor", state: .ok,
            detail: "\(name), \(cores) cores, \(wanted.isEmpty ? "no vector extensions" : wanted.joined(separator: " "))",
            remedy: nil)
    }

    /// Whether the photo kernels use all vector instructions of the processor.
    private static var build: Finding {
        let missing = ProcessorCheck.missingInstructions
        if !missing.isEmpty {
            return Finding(subject: "build", state: .missing, detail: missing, remedy: "VITRINE_PORTABLE=1 make build")
        }
        if ProcessorCheck.isFastBuild {
            return Finding(subject: "build", state: .ok, detail: "fast: compiled for AVX2 and FMA", remedy: nil)
        }
        guard ProcessorCheck.couldBeFaster else {
            return Finding(subject: "build", state: .ok, detail: "compiled for every processor of this architecture", remedy: nil)
        }
        return Finding(
            subject: "build", state: .warning,
            detail: "compiled without AVX2 and FMA, which this processor has: reconstruct is several times slower",
            remedy: "make build")
    }

    private static var memory: Finding {
        let bytes = ProcessInfo.processInfo.physicalMemory
        let text = "\((Double(bytes) / 1_073_741_824).fixed(1)) GiB"
        let isEnough = bytes >= 2 << 30
        return Finding(
            subject: "memory", state: isEnough ? .ok : .warning, detail: text + (isEnough ? "" : ": large models may not fit"), remedy: nil)
    }

    private static func firstLine(of command: String...) -> String? {
        guard let program = command.first,
            let process = try? ChildProcess(program, Array(command.dropFirst()), package: program),
            let output = try? process.readToEnd(limit: 1 << 16)
        else { return nil }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
