// swift-tools-version: 6.1
import PackageDescription

// Measurements inside the process. A package of its own, so that the library carries no benchmark; Benchmarks/run.sh builds and runs it.
let package = Package(
    name: "VitrineBenchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "vitrine-measure", targets: ["VitrineMeasure"])],
    dependencies: [.package(name: "Vitrine", path: "..")],
    targets: [.executableTarget(name: "VitrineMeasure", dependencies: [.product(name: "Vitrine", package: "Vitrine")])],
    swiftLanguageModes: [.v6]
)
