import Testing
import VitrineMath

@testable import VitrineCLI

struct ValueTests {
    @Test func sizes() throws {
        let size = try parseSize("1280x720")
        #expect(size.width == 1280 && size.height == 720)
        for wrong in ["", "1280", "1280x", "x720", "0x10", "-1x10", "1e3x10", "20000x10", "10x10x10", "10 x 10"] {
            #expect(throws: UsageError.self, "\(wrong) was taken") { try parseSize(wrong) }
        }
    }

    @Test func vectors() throws {
        #expect(try parseVector("1,-2.5,3e2", as: "X,Y,Z") == Vector3(1, -2.5, 300))
        for wrong in ["", "1,2", "1,2,3,4", "a,b,c", "1,,3", "nan,0,0", "inf,0,0"] {
            #expect(throws: UsageError.self, "\(wrong) was taken") { try parseVector(wrong, as: "X,Y,Z") }
        }
    }

    @Test func colours() throws {
        let orange = try parseHexColor("#FF8000")
        #expect(abs(orange.linear.x - 1) < 1e-6 && abs(orange.linear.y - 0.215_86) < 1e-4 && orange.linear.z == 0 && orange.linear.w == 1)
        for wrong in ["", "#FFF", "#GG0000", "#1234567"] {
            #expect(throws: UsageError.self, "\(wrong) was taken") { try parseHexColor(wrong) }
        }
    }
}

struct LightChoiceTests {
    @Test(arguments: [
        "directional,width=2", "disc,height=1", "point,angle=3", "rectangle,size=1", "directional,distance=2", "lamp", "point,azimuth",
        "point,intensity=-1", "spot,angle=nan", "spot,=1",
    ])
    func whatMeansNothingIsRefused(_ text: String) {
        #expect(throws: UsageError.self) { try LightChoice(parsing: text) }
    }

    @Test func everyKindHasItsKeys() throws {
        #expect(try LightChoice(parsing: "disc,width=2,distance=1").width == 2)
        #expect(try LightChoice(parsing: "spot,angle=20,size=0.1,temperature=3000,shadow=no").angle == 20)
    }
}
