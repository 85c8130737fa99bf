import CSDL
